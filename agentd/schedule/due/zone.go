package due

import "time"

// Wall is what a clock on the wall of a zone shows at t, as if it hung in UTC.
func Wall(t time.Time, zone *time.Location) time.Time {
	_, offset := t.In(zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// Place is the first moment at which a clock on the wall of a zone shows wall, or the end of the gap that wall falls into.
func Place(wall time.Time, zone *time.Location) time.Time {
	wall = wall.UTC()
	near := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, zone)
	begins, ends := near.ZoneBounds()
	var first time.Time
	for _, side := range []time.Time{begins.Add(-time.Second), near, ends} {
		if side.Add(time.Second).IsZero() || side.IsZero() {
			continue // the zone has no such change
		}
		_, offset := side.In(zone).Zone()
		t := wall.Add(-time.Duration(offset) * time.Second)
		if Wall(t, zone).Equal(wall) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	if !first.IsZero() {
		return first
	}
	if !begins.IsZero() && wall.Before(Wall(begins, zone)) {
		return begins.UTC()
	}
	return ends.UTC()
}
