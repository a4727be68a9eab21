package due

import (
	"time"

	"github.com/adhocore/gronx"

	"gatehouse/agentd/wire"
)

// Rule says at which times a schedule is due.
type Rule struct {
	kind   wire.ScheduleKind // at, every or cron
	spec   string
	zone   *time.Location
	at     time.Time     // at
	step   time.Duration // every: of elapsed time
	days   int           // every: of local days instead
	anchor time.Time     // every: the ticks are whole steps away from it
	first  bool          // every: the anchor is a tick itself
	cron   string
}

// Kind is at, every or cron, whatever the kind of the schedule.
func (r Rule) Kind() wire.ScheduleKind { return r.kind }

// Spec is the spec as it is kept.
func (r Rule) Spec() string { return r.spec }

// Zone is where local times are read.
func (r Rule) Zone() *time.Location { return r.zone }

// Again says whether it may be due more than once.
func (r Rule) Again() bool { return r.kind != wire.ScheduleAt }

// Interval says whether it is due by an interval rather than at times of its own.
func (r Rule) Interval() bool { return r.kind == wire.ScheduleEvery && r.days == 0 }

// Next is the first time it is due after a moment; false when there is none.
func (r Rule) Next(after time.Time) (time.Time, bool) {
	switch r.kind {
	case wire.ScheduleAt:
		return r.at, r.at.After(after)
	case wire.ScheduleEvery:
		return r.nextStep(after), true
	}
	return r.nextCron(after)
}

// Between lists the times at which it is due from a moment on and before another, most at most, and whether there are more.
func (r Rule) Between(from, until time.Time, most int) (ticks []time.Time, more bool) {
	for t, ok := r.Next(from.Add(-1)); ok && t.Before(until); t, ok = r.Next(t) {
		if len(ticks) == most {
			return ticks, true
		}
		ticks = append(ticks, t)
	}
	return ticks, false
}

// nextStep is the first whole step from the anchor on that is after a moment.
func (r Rule) nextStep(after time.Time) time.Time {
	if r.days > 0 {
		return r.nextDays(after)
	}
	n := int64(1)
	if r.first {
		n = 0
	}
	if gone := after.Sub(r.anchor); gone >= 0 {
		n = max(n, int64(gone/r.step)+1)
	}
	return r.anchor.Add(time.Duration(n) * r.step).UTC()
}

// nextDays steps by days of the calendar, so that the hour stays when the clocks change.
func (r Rule) nextDays(after time.Time) time.Time {
	wall := Wall(r.anchor, r.zone)
	const day = 24 * time.Hour
	n := int(Wall(after, r.zone).Sub(wall)/day)/r.days - 1
	if n = max(n, 1); r.first {
		n = max(n-1, 0)
	}
	for ; ; n++ {
		if t := Place(wall.AddDate(0, 0, n*r.days), r.zone); t.After(after) {
			return t
		}
	}
}

// nextCron matches the fields on local time. Local times up to that of a moment are placed no later than it, so none is lost
// by beginning there.
func (r Rule) nextCron(after time.Time) (time.Time, bool) {
	wall := Wall(after, r.zone).Truncate(time.Minute)
	for {
		next, err := gronx.NextTickAfter(r.cron, wall, false)
		if err != nil {
			return time.Time{}, false // no such day comes
		}
		if t := Place(next, r.zone); t.After(after) {
			return t, true
		}
		wall = next
	}
}
