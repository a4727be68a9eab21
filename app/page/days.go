package page

import (
	"time"

	"gatehouse/app/fault"
)

// Days is the time from the start of one day to the end of another, both as 2006-01-02 in zone; an empty one is open.
func Days(from, to string, zone *time.Location) (start, end time.Time, err error) {
	bad := map[string]string{}
	for name, day := range map[string]struct {
		text string
		at   *time.Time
		plus int
	}{"from": {from, &start, 0}, "to": {to, &end, 1}} {
		if day.text == "" {
			continue
		}
		at, err := time.ParseInLocation(time.DateOnly, day.text, zone)
		if err != nil || at.Year() < 1 {
			bad[name] = "Write a day as year, month and day, such as 2026-03-31."
			continue
		}
		*day.at = time.Date(at.Year(), at.Month(), at.Day()+day.plus, 0, 0, 0, 0, zone).UTC()
	}
	if len(bad) > 0 {
		return time.Time{}, time.Time{}, fault.Bad(bad)
	}
	return start, end, nil
}
