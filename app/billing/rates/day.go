package rates

import (
	"sync"
	"time"
)

// published is when the rate of a working day is out for certain, in Frankfurt.
const published = 16*time.Hour + 15*time.Minute

// frankfurt is the zone of the bank; without its rules the hour of winter, in which a rate is looked for an hour late in summer.
var frankfurt = sync.OnceValue(func() *time.Location {
	in, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return time.FixedZone("CET", int(time.Hour/time.Second))
	}
	return in
})

// dayOf is the day of a moment in UTC, as the book keeps days.
func dayOf(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// newest is the last working day whose rate is out. On holidays of the bank there is none: the look then finds the one before.
func newest(now time.Time) time.Time {
	day := inFrankfurt(now)
	if now.Before(outAt(day)) {
		day = day.AddDate(0, 0, -1)
	}
	for !working(day) {
		day = day.AddDate(0, 0, -1)
	}
	return day
}

// following is when the rate after the newest comes out.
func following(now time.Time) time.Time {
	day := newest(now).AddDate(0, 0, 1)
	for !working(day) {
		day = day.AddDate(0, 0, 1)
	}
	return outAt(day)
}

// missing counts the working days after from until then.
func missing(from, until time.Time) (n int) {
	if from.Before(until.AddDate(0, -1, 0)) {
		from = until.AddDate(0, -1, 0) // more than enough
	}
	for day := from.AddDate(0, 0, 1); !day.After(until); day = day.AddDate(0, 0, 1) {
		if working(day) {
			n++
		}
	}
	return n
}

func working(day time.Time) bool {
	return day.Weekday() != time.Saturday && day.Weekday() != time.Sunday
}

// inFrankfurt is the day that it is there, as midnight UTC.
func inFrankfurt(t time.Time) time.Time {
	y, m, d := t.In(frankfurt()).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// outAt is when the rate of a day is out.
func outAt(day time.Time) time.Time {
	y, m, d := day.Date()
	return time.Date(y, m, d, 0, 0, int(published/time.Second), 0, frankfurt()).UTC()
}
