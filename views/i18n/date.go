package i18n

import (
	"context"
	"strings"
	"time"
)

// Date writes a day as the language of ctx does, with the month's short name: "21 Nov 2026", "21. Nov. 2026".
func Date(ctx context.Context, t time.Time) string {
	return T(ctx, "date.day", "d", t.Format("2"), "month", month(ctx, t), "year", t.Format("2006"))
}

// Day writes a day of this year: "21 Nov", "21. Nov.".
func Day(ctx context.Context, t time.Time) string {
	return T(ctx, "date.day_short", "d", t.Format("2"), "month", month(ctx, t))
}

// Month writes a month of a year: "Nov 2026", "Nov. 2026".
func Month(ctx context.Context, t time.Time) string {
	return T(ctx, "date.month", "month", month(ctx, t), "year", t.Format("2006"))
}

// Zone is what people call the zone of t; a zone without a name is told by its distance: "UTC+03".
func Zone(ctx context.Context, t time.Time) string {
	name := t.Format("MST")
	if name[0] == '+' || name[0] == '-' {
		return "UTC" + name
	}
	if own, ok := zones[LocaleOf(ctx)][name]; ok {
		return own
	}
	return name
}

// zones are the names that a language has of its own.
var zones = map[string]map[string]string{German: {"CET": "MEZ", "CEST": "MESZ", "EET": "OEZ", "EEST": "OESZ", "WET": "WEZ", "WEST": "WESZ"}}

// month is a short name from the list of twelve. The pseudo-locale, which decorates texts, reads the English list.
func month(ctx context.Context, t time.Time) string {
	if LocaleOf(ctx) == Pseudo {
		ctx = With(ctx, English)
	}
	names := strings.Fields(T(ctx, "date.months"))
	if i := int(t.Month()) - 1; i < len(names) {
		return names[i]
	}
	return t.Format("01")
}
