package schedule

import (
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

const (
	// late is how long after its time a tick still counts as on time.
	late = 5 * time.Minute
	// atOnce is how many ticks of one schedule get their verdict in one transaction.
	atOnce = 500
)

// fate is what becomes of a tick.
type fate struct {
	due     time.Time
	verdict wire.TickVerdict
	reason  string
}

// runs says whether the tick gets a run.
func (f fate) runs() bool { return f.verdict == wire.TickRan || f.verdict == wire.TickCaughtUp }

const asleep = "The server was off, asleep or busy when it was due"

// fates decides about ticks that have passed, oldest first. more says that there are further ones, so that the last of them is not
// here. blocked is why nothing may run now; empty when it may.
func fates(ticks []time.Time, more bool, by time.Duration, catchUp wire.CatchUp, blocked string) []fate {
	all := make([]fate, len(ticks))
	for i, t := range ticks {
		all[i] = fate{t, wire.TickMissed, asleep + ", and a later one came in its place."}
	}
	if more || len(all) == 0 {
		return all
	}
	last := &all[len(all)-1]
	switch {
	case by > late && catchUp == wire.CatchUpSkip:
		last.reason = asleep + "."
	case blocked != "":
		last.verdict, last.reason = wire.TickSkipped, blocked
	case by > late:
		last.verdict, last.reason = wire.TickCaughtUp, fmt.Sprintf("%s, so it ran %s late.", asleep, sayLate(by))
	default:
		last.verdict, last.reason = wire.TickRan, ""
	}
	return all
}

// sayLate says a delay in words.
func sayLate(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d/(24*time.Hour)))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d/time.Hour))
	}
	return fmt.Sprintf("%d minutes", int(d/time.Minute))
}
