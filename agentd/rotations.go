package agentd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// settleEvery is how often services are asked that left open whether they took a new value.
const settleEvery = 10 * time.Minute

// staysUnclear tells the owner so: of which secret, and after how many minutes it is asked again.
const staysUnclear = "It is not known whether the new value of %s was taken by its service. " +
	"Both are kept; the service is asked again about every %.0f minutes."

// endRotations ends rotations that were interrupted, at the start and now and again: a service may have taken a value
// after nobody waited for its answer anymore. The owner hears of one that stays unclear.
func (d *Daemon) endRotations(ctx context.Context) error {
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	seen := unclear{}
	for {
		names, err := d.counter.Settle(ctx)
		if err != nil && ctx.Err() == nil {
			d.log.ErrorContext(ctx, "rotations not settled", "error", err)
		}
		for _, name := range seen.asked(names, err == nil) {
			d.tellOwner(ctx, "rotation", "medium", fmt.Sprintf(staysUnclear, name, settleEvery.Minutes()))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// unclear counts how often in a row it stayed unclear whether a service has taken a value, by the name of the secret.
type unclear map[string]int

// asked counts one round of asking, and says of which names the owner is to hear: once, when they were unclear twice. A round
// that could not ask all of them says nothing of those that it does not name.
func (u unclear) asked(names []string, all bool) (tell []string) {
	if all {
		maps.DeleteFunc(u, func(name string, _ int) bool { return !slices.Contains(names, name) })
	}
	for _, name := range names {
		if u[name]++; u[name] == 2 {
			tell = append(tell, name)
		}
	}
	return tell
}
