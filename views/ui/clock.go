package ui

import (
	"context"
	"strconv"
	"time"

	"gatehouse/views/i18n"
)

// week is how long ago or ahead a time is still told relative to now.
const week = 7 * 24 * time.Hour

// Moment writes a time in full with the name of its zone, as deadlines need it: "21 Nov 2026, 14:02 CET".
func Moment(ctx context.Context, t time.Time) string {
	t = t.In(Of(ctx).Zone)
	return i18n.Date(ctx, t) + t.Format(", 15:04 ") + i18n.Zone(ctx, t)
}

// Clock writes the time of day: "14:02".
func Clock(t time.Time, zone *time.Location) string { return t.In(zone).Format("15:04") }

// Relative writes how far t is from the reader's now, up to a week; beyond it the day.
func Relative(ctx context.Context, t time.Time) string {
	r := Of(ctx)
	away := t.Sub(r.Now)
	switch {
	case r.Now.IsZero() || away.Abs() > week:
		return i18n.Date(ctx, t.In(r.Zone))
	case away.Abs() < time.Second:
		return i18n.T(ctx, "ui.time.now")
	case away > 0:
		return i18n.T(ctx, "ui.time.in", "left", Coarse(ctx, away))
	}
	return i18n.T(ctx, "ui.time.ago", "past", Coarse(ctx, away))
}

// Deadline writes when something ends as a person says it, with the zone: "14:02 today (CET)", "14:02 tomorrow (CET)".
func Deadline(ctx context.Context, t time.Time) string {
	r := Of(ctx)
	zone := i18n.Zone(ctx, t.In(r.Zone))
	switch days(r.Now, t, r.Zone) {
	case 0:
		return i18n.T(ctx, "ui.time.today", "clock", Clock(t, r.Zone), "zone", zone)
	case 1:
		return i18n.T(ctx, "ui.time.tomorrow", "clock", Clock(t, r.Zone), "zone", zone)
	}
	return Moment(ctx, t)
}

// Coarse writes a span in its largest unit, as relative times do: "40 s", "5 min", "23 h", "3 d".
func Coarse(ctx context.Context, d time.Duration) string {
	d = d.Abs()
	units := []struct {
		below, size time.Duration
		name        string
	}{{time.Minute, time.Second, " s"}, {time.Hour, time.Minute, " min"}, {48 * time.Hour, time.Hour, " h"}}
	for _, u := range units {
		if d < u.below {
			return strconv.Itoa(int(d/u.size)) + u.name
		}
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + " " + i18n.T(ctx, "ui.time.unit_day")
}

// days counts the midnights between two times in zone.
func days(from, to time.Time, zone *time.Location) int {
	a, b := from.In(zone), to.In(zone)
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(b).Sub(day(a)) / (24 * time.Hour))
}
