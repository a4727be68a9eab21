package budget

import (
	"slices"
	"time"
)

// Limits are what the team may use, in tokens of calls with the operator's key.
type Limits struct {
	Pool    *Pool            `json:"pool,omitempty"`    // nil: no pool is counted
	Beyond  bool             `json:"beyond,omitempty"`  // calls go on when the pool is empty
	Day     int64            `json:"day,omitempty"`     // of all agents together; 0: no budget
	Agents  map[string]int64 `json:"agents,omitempty"`  // a day's budget by agent; none or 0: no budget
	Premium []string         `json:"premium,omitempty"` // models that never draw on the pool
	Zone    string           `json:"zone,omitempty"`    // IANA name of where days begin; empty: UTC
}

// Pool is the allotment of one billing period.
type Pool struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Tokens int64     `json:"tokens"`
}

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
