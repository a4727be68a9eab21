package policy

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Expiry is how long a question waits for its answer, by tier. What is left out waits UsualExpiry.
type Expiry map[Tier]Duration

// Bounds of how long a question waits. Duration sets the longest, a week.
const (
	UsualExpiry    = 24 * time.Hour
	shortestExpiry = 5 * time.Minute
)

// askable are the tiers of the calls that a person may be asked about.
var askable = []Tier{Green, Yellow, YellowExternal, Red, CriticalRed}

// wrong says what is no expiry; empty: nothing.
func (e Expiry) wrong() string {
	for _, t := range slices.Sorted(maps.Keys(e)) {
		if !slices.Contains(askable, t) {
			return fmt.Sprintf("nothing of the tier %q is ever asked", t)
		}
		if d := time.Duration(e[t]); d < shortestExpiry {
			return fmt.Sprintf("what is %s expires after %s; it must wait 5 minutes at least", t, d)
		}
	}
	return ""
}

// ExpiryOf is how long a question of a tier waits under m.
func ExpiryOf(m *Manifest, t Tier) time.Duration {
	if d, ok := orEmpty(m).Expiry[t]; ok {
		return time.Duration(d)
	}
	return UsualExpiry
}
