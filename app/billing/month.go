package billing

import "time"

// anniversary is n months after anchor, on the same day and at the same time of the customer's zone, or on the last day of a month that
// has no such day. Whole hours (UTC), as usage is counted.
func anniversary(anchor time.Time, n int, zone *time.Location) time.Time {
	a := anchor.In(zone)
	last := time.Date(a.Year(), a.Month()+time.Month(n)+1, 0, 0, 0, 0, 0, zone).Day()
	return time.Date(a.Year(), a.Month()+time.Month(n), min(a.Day(), last), a.Hour(), a.Minute(), 0, 0, zone).UTC().Truncate(time.Hour)
}

// shortest is the shortest that a month can be. An anniversary moves by up to a day when the customer's zone changes: one that comes
// sooner ended the month before already.
const shortest = 15 * 24 * time.Hour

// nextEnd is the first anniversary of anchor that is far enough after from.
func nextEnd(anchor, from time.Time, zone *time.Location) time.Time {
	months := int(from.Sub(anchor).Hours()/24/31) - 1 // never too many
	for n := max(months, 1); ; n++ {
		if end := anniversary(anchor, n, zone); end.Sub(from) >= shortest {
			return end
		}
	}
}

// zoneOf is the zone of a customer; one that this program does not know is UTC.
func zoneOf(name string) *time.Location {
	if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	return time.UTC
}
