package sentence

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Amount is a number of a unit: 10 minutes, 5 MB. Without a unit it stands as it is written in the text.
type Amount struct{ N, Unit string }

// unit is a unit of an amount, in units of the text.
type unit struct {
	name string
	is   int64
}

// spanUnits are units of time, and sizeUnits of bytes, the largest first.
var (
	spanUnits = []unit{
		{"week", int64(7 * 24 * time.Hour)},
		{"day", int64(24 * time.Hour)},
		{"hour", int64(time.Hour)},
		{"minute", int64(time.Minute)},
		{"second", int64(time.Second)},
	}
	sizeUnits = []unit{{"GB", 1 << 30}, {"MB", 1 << 20}, {"kB", 1 << 10}, {"byte", 1}}
)

// SpanUnits are the units of a time, and SizeUnits those of a size, the smallest first.
var (
	SpanUnits = []string{"second", "minute", "hour", "day", "week"}
	SizeUnits = []string{"byte", "kB", "MB", "GB"}
)

// amountOf is n in the largest unit that divides it; ok is false when none does.
func amountOf(n int64, units []unit) (a Amount, ok bool) {
	for _, u := range units {
		if n > 0 && n%u.is == 0 {
			return Amount{strconv.FormatInt(n/u.is, 10), u.name}, true
		}
	}
	return Amount{}, false
}

// in is the amount in units of the text; ok is false when it is none.
func (a Amount) in(units []unit) (n int64, ok bool) {
	whole, err := strconv.ParseInt(a.N, 10, 64)
	for _, u := range units {
		if err == nil && u.name == a.Unit && whole > 0 && whole <= (1<<62)/u.is {
			return whole * u.is, true
		}
	}
	return 0, false
}

// readSpan reads a time such as 90s, 2h or, behind a rate, h.
func readSpan(text string) Amount {
	full := text
	if len(text) == 1 && strings.Trim(text, "smh") == "" {
		full = "1" + text
	}
	if d, err := time.ParseDuration(full); err == nil {
		if a, ok := amountOf(int64(d), spanUnits); ok {
			return a
		}
	}
	return typed(text, SpanUnits)
}

// typed is an amount that is none, as somebody typed it into a form.
func typed(text string, units []string) Amount {
	for _, u := range units {
		if n, ok := strings.CutSuffix(text, " "+u); ok {
			return Amount{n, u}
		}
	}
	return Amount{N: text}
}

// text is the amount as it is written where it is none, so that it stays to be put right.
func (a Amount) text() string { return strings.TrimSuffix(a.N+" "+a.Unit, " ") }

// span is a time as the text has it.
func (a Amount) span() string {
	n, ok := a.in(spanUnits)
	if !ok {
		return a.text()
	}
	switch d := time.Duration(n); {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	default:
		return fmt.Sprintf("%ds", d/time.Second)
	}
}

// per is a time behind a rate: 1h is h.
func (a Amount) per() string {
	s := a.span()
	if s == "1h" || s == "1m" || s == "1s" {
		return s[1:]
	}
	return s
}

// readCents is an amount of money as people write it, from cents.
func readCents(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// cents reads an amount of money with at most two decimals behind a point or a comma.
func cents(text string) (int64, bool) {
	whole, part, _ := strings.Cut(strings.Replace(strings.TrimSpace(text), ",", ".", 1), ".")
	if len(part) > 2 || len(whole) > 15 || !digits(whole) || part != "" && !digits(part) {
		return 0, false
	}
	part += "00"[len(part):]
	n, err := strconv.ParseInt(whole+part, 10, 64)
	return n, err == nil
}

// digits says whether a text is digits alone, and some.
func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// plainInt says whether a text is a number as a form writes one.
func plainInt(s string) bool {
	return digits(s) && len(s) <= 18 && (s == "0" || s[0] != '0')
}
