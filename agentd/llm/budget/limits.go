package budget

import (
	"slices"
	"time"
)

// Limits are what the team may use of calls with the operator's key.
type Limits struct {
	Pool    *Pool            `json:"pool,omitempty"`    // nil: no pool is counted
	Beyond  bool             `json:"beyond,omitempty"`  // calls go on when the pool is empty
	Day     int64            `json:"day,omitempty"`     // tokens a day of all agents together; 0: no budget
	Agents  map[string]int64 `json:"agents,omitempty"`  // a day's budget by agent; none or 0: no budget
	Premium []string         `json:"premium,omitempty"` // models that never draw on the pool
	Zone    string           `json:"zone,omitempty"`    // IANA name of where days begin; empty: UTC
}

// Pool is the allotment of one billing period.
type Pool struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Tokens  int64     `json:"tokens"`
	Weights Weights   `json:"weights"`
}

// Weights are how much of the pool a token of each kind draws, in thousandths; all zero: 1,000 each.
type Weights struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

// Use counts tokens of each kind; those of the cache are not among the input.
type Use struct{ Input, Output, CacheRead, CacheWrite int64 }

// Tokens are all of them.
func (u Use) Tokens() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// of is what a use draws of the pool, in thousandths of a token.
func (w Weights) of(u Use) int64 {
	if w == (Weights{}) {
		return u.Tokens() * whole
	}
	return u.Input*w.Input + u.Output*w.Output + u.CacheRead*w.CacheRead + u.CacheWrite*w.CacheWrite
}

// most is the most that a call can draw: its input may come into the cache, which can cost more.
func (w Weights) most(c Ceiling) int64 {
	return max(w.of(Use{Input: c.Input, Output: c.Output}), w.of(Use{CacheWrite: c.Input, Output: c.Output}))
}

// whole is the weight of a token that counts as one.
const whole = 1000

// Ceiling is the most that a call can use, in tokens.
type Ceiling struct{ Input, Output int64 }

// draws says whether a model's calls draw on the pool.
func (l Limits) draws(model string) bool { return l.Pool != nil && !slices.Contains(l.Premium, model) }

// day is the day of a moment: its beginning and that of the next one.
func (l Limits) day(at time.Time) (from, to time.Time) {
	zone, err := time.LoadLocation(l.Zone)
	if err != nil {
		zone = time.UTC
	}
	y, m, d := at.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone), time.Date(y, m, d+1, 0, 0, 0, 0, zone)
}
