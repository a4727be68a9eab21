package due

import "time"

// Quiet are hours of the day in which nobody is to be disturbed. The zero value has none.
type Quiet struct{ from, to time.Duration }

// ParseQuiet reads local times such as "22:00" and "07:00"; both empty: no quiet hours.
func ParseQuiet(from, to string) (Quiet, error) {
	if from == "" && to == "" {
		return Quiet{}, nil
	}
	a, errA := time.Parse("15:04", from)
	b, errB := time.Parse("15:04", to)
	if errA != nil || errB != nil || a.Equal(b) {
		return Quiet{}, specError("Quiet hours are two different times of the day, such as 22:00 and 07:00.")
	}
	return Quiet{sinceMidnight(a), sinceMidnight(b)}, nil
}

func sinceMidnight(t time.Time) time.Duration {
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
}

// Holds says whether t is within the quiet hours of a zone.
func (q Quiet) Holds(t time.Time, zone *time.Location) bool {
	at := sinceMidnight(Wall(t, zone))
	if q.from <= q.to {
		return q.from <= at && at < q.to
	}
	return at >= q.from || at < q.to
}
