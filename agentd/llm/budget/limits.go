package budget

import (
	"slices"
	"time"
)

// Limits are what the team may use of calls with the operator's key.
type Limits struct {
	Pool    *Pool             `json:"pool,omitempty"`    // nil: no pool is counted
	Beyond  bool              `json:"beyond,omitempty"`  // calls go on when the pool is empty
	Day     int64             `json:"day,omitempty"`     // tokens a day of all agents together; 0: no budget
	Agents  map[string]int64  `json:"agents,omitempty"`  // a day's budget by agent; none or 0: no budget
	Premium []string          `json:"premium,omitempty"` // models that never draw on the pool, and cost extra
	Signed  map[string]string `json:"signed,omitempty"`  // the premium model that the owner has signed for, by agent; no other may be asked
	Zone    string            `json:"zone,omitempty"`    // IANA name of where days begin; empty: UTC
	Paused  string            `json:"paused,omitempty"`  // why nothing may be asked for now; empty: it may
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

// mostOfCall is more than any model reads or writes in one call: what a caller names beyond it must not make sums that begin anew
// below nothing.
const mostOfCall = 1 << 36

func (c Ceiling) bounded() Ceiling {
	return Ceiling{min(max(c.Input, 0), mostOfCall), min(max(c.Output, 0), mostOfCall)}
}

func (c Ceiling) tokens() int64 { return c.Input + c.Output }

// draws says whether a model's calls draw on the pool.
func (l Limits) draws(model string) bool { return l.Pool != nil && !slices.Contains(l.Premium, model) }

func (l Limits) weights() Weights {
	if l.Pool == nil {
		return Weights{}
	}
	return l.Pool.Weights
}

// forbids says why no call of an agent may ask a model, however much is left.
func (l Limits) forbids(agent, model string) *Refusal {
	switch {
	case l.Paused != "":
		return &Refusal{Budget: OfPause}
	case slices.Contains(l.Premium, model) && l.Signed[agent] != model:
		return &Refusal{Budget: OfPremium}
	}
	return nil
}

// window is the period that counts at a moment. When the hub has not named the next one yet, the last one goes on by months.
func (l Limits) window(at time.Time) window {
	if l.Pool == nil {
		return window{}
	}
	from, to := l.Pool.From, l.Pool.To
	for n := 1; !at.Before(to); n++ {
		from, to = to, l.Pool.To.AddDate(0, n, 0)
	}
	return window{from, to}
}

// day is the day of a moment.
func (l Limits) day(at time.Time) window {
	zone, err := time.LoadLocation(l.Zone)
	if err != nil {
		zone = time.UTC
	}
	y, m, d := at.In(zone).Date()
	return window{time.Date(y, m, d, 0, 0, 0, 0, zone), time.Date(y, m, d+1, 0, 0, 0, 0, zone)}
}
