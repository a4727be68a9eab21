package push

import (
	"fmt"
	"time"

	"gatehouse/app/fault"
)

// Quiet is the time of a day in which a person is not told, in minutes after midnight of the business's time zone. From
// may lie after To: then it holds over midnight. From equal to To is no quiet time at all.
type Quiet struct{ From, To int }

// dayMinutes is how many minutes a day has, on a clock.
const dayMinutes = 24 * 60

// ParseQuiet reads two times like 22:00; both empty is no quiet time.
func ParseQuiet(from, to string) (Quiet, error) {
	if from == "" && to == "" {
		return Quiet{}, nil
	}
	bad := map[string]string{}
	read := func(name, s string) int {
		t, err := time.Parse("15:04", s)
		if err != nil {
			bad[name] = "Enter a time like 22:00, or leave both fields empty."
		}
		return t.Hour()*60 + t.Minute()
	}
	q := Quiet{From: read("from", from), To: read("to", to)}
	if len(bad) == 0 && q.From == q.To {
		bad["to"] = "Choose a different time from the start, or leave both fields empty."
	}
	if len(bad) > 0 {
		return Quiet{}, fault.Bad(bad)
	}
	return q, nil
}

// IsSet reports whether there is a quiet time.
func (q Quiet) IsSet() bool { return q.From != q.To }

// Clock are the two times as people write them; empty without a quiet time.
func (q Quiet) Clock() (from, to string) {
	if !q.IsSet() {
		return "", ""
	}
	return clock(q.From), clock(q.To)
}

func clock(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// Left is how long it stays quiet from now on, 0 when it is not. Zone is the IANA name of the business's time zone; one
// that is not known is UTC, as on pages.
func (q Quiet) Left(now time.Time, zone string) time.Duration {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		loc = time.UTC
	}
	local := now.In(loc)
	at := local.Hour()*60 + local.Minute()
	since, long := (at-q.From+dayMinutes)%dayMinutes, (q.To-q.From+dayMinutes)%dayMinutes
	if since >= long {
		return 0
	}
	day := local.Day()
	if at >= q.To {
		day++
	}
	end := time.Date(local.Year(), local.Month(), day, q.To/60, q.To%60, 0, 0, loc)
	for !end.After(now) { // the clock was set back: this time comes again
		end = end.Add(time.Hour)
	}
	return end.Sub(now)
}
