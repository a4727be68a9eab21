package show

import "time"

// Moment is a point in time as pages show it; the zero value is no moment at all.
type Moment struct {
	ISO  string // RFC 3339, UTC, for the datetime attribute
	Text string // short: "just now", "3 min ago", "14:02", "21 Nov, 14:02"
	Full string // with date, seconds and zone
}

// At gives t as it reads at now: relative up to a week, absolute beyond, in the reader's zone.
func At(t, now time.Time, zone *time.Location) Moment {
	if t.IsZero() {
		return Moment{}
	}
	return Moment{ISO: t.UTC().Format(time.RFC3339), Text: relative(t, now, zone), Full: full(t, zone)}
}

// Clock gives t as a time of day, for lists whose items lie close together.
func Clock(t time.Time, zone *time.Location) Moment {
	if t.IsZero() {
		return Moment{}
	}
	return Moment{ISO: t.UTC().Format(time.RFC3339Nano), Text: t.In(zone).Format("15:04:05"), Full: full(t, zone)}
}

// Deadline gives t with day and zone, as everything that ends at a time must.
func Deadline(t, now time.Time, zone *time.Location) Moment {
	if t.IsZero() {
		return Moment{}
	}
	l := t.In(zone)
	return Moment{ISO: t.UTC().Format(time.RFC3339), Text: l.Format("15:04") + day(t, now, zone) + " " + l.Format("MST"), Full: full(t, zone)}
}

func full(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("Mon 2 Jan 2006, 15:04:05 MST")
}

func relative(t, now time.Time, zone *time.Location) string {
	ago := now.Sub(t)
	switch {
	case ago < 0:
		return t.In(zone).Format("2 Jan, 15:04")
	case ago < time.Minute:
		return "just now"
	case ago < 7*24*time.Hour:
		return Span(ago) + " ago"
	}
	return t.In(zone).Format("2 Jan 2006")
}

// day says how the day of t is called from now: nothing for today.
func day(t, now time.Time, zone *time.Location) string {
	switch days(now, t, zone) {
	case 0:
		return ""
	case 1:
		return " tomorrow"
	case -1:
		return " yesterday"
	}
	return t.In(zone).Format(" on 2 Jan")
}

// days counts calendar days from a to b, as the zone sees them.
func days(a, b time.Time, zone *time.Location) int {
	return int(noon(b, zone).Sub(noon(a, zone)).Hours() / 24)
}

func noon(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	return time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
}
