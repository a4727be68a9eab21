package failover

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"time"

	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/store"
)

// key names what rests: a profile for one model, or as a whole when the model is empty.
type key struct{ profile, model string }

// resting is what is known of it.
type resting struct {
	why   Why
	n     int       // failures in a row
	until time.Time // UTC
}

// Failover remembers failures. It is safe for use by many goroutines.
type Failover struct {
	db  *store.DB
	now func() time.Time

	mu    sync.Mutex
	rests map[key]resting
}

// Open reads what an earlier life of the process remembered.
func Open(ctx context.Context, db *store.DB, now func() time.Time) (*Failover, error) {
	f := &Failover{db: db, now: now, rests: map[key]resting{}}
	rows, err := db.Read().QueryContext(ctx, "SELECT profile, model, why, failures, until FROM llm_rests")
	if err != nil {
		return nil, fmt.Errorf("read rests: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var k key
		var r resting
		var until int64
		if err := rows.Scan(&k.profile, &k.model, &r.why, &r.n, &until); err != nil {
			return nil, fmt.Errorf("read rests: %w", err)
		}
		r.until = time.UnixMilli(until).UTC()
		f.rests[k] = r
	}
	return f, rows.Err()
}

// Order puts candidates in the order in which to try them: those that do not rest as they came, then the others, the
// one that wakes first before those that sleep longer.
func (f *Failover) Order(all []profile.Candidate) []profile.Candidate {
	now := f.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	wake := map[int]time.Time{}
	order := make([]int, len(all))
	for i, c := range all {
		order[i] = i
		if until := f.until(c); until.After(now) {
			wake[i] = until
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return wake[a].Compare(wake[b]) }) // the zero time is the earliest
	sorted := make([]profile.Candidate, len(all))
	for i, at := range order {
		sorted[i] = all[at]
	}
	return sorted
}

func (f *Failover) until(c profile.Candidate) time.Time {
	account, model := f.rests[key{c.Profile.Name, ""}].until, f.rests[key{c.Profile.Name, c.Model}].until
	if account.After(model) {
		return account
	}
	return model
}

// Failed lets what failed rest. asked is how long the endpoint asked to be left alone, 0 when it did not. It holds at
// once; Keep makes it durable.
func (f *Failover) Failed(c profile.Candidate, why Why, asked time.Duration) {
	if why == "" {
		return
	}
	k := key{c.Profile.Name, c.Model}
	if why.wholeAccount() {
		k.model = ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.rests[k]
	r.n, r.why = r.n+1, why
	r.until = f.now().Add(why.rest(r.n, asked)).UTC()
	f.rests[k] = r
}

// Worked forgets the failures of what works again, and says whether there were any.
func (f *Failover) Worked(c profile.Candidate) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := len(f.rests)
	delete(f.rests, key{c.Profile.Name, ""})
	delete(f.rests, key{c.Profile.Name, c.Model})
	return len(f.rests) != before
}

// Keep makes what is remembered of a profile durable.
func (f *Failover) Keep(ctx context.Context, name string) error {
	err := f.db.Write(ctx, func(tx *sql.Tx) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		if _, err := tx.ExecContext(ctx, "DELETE FROM llm_rests WHERE profile = ?", name); err != nil {
			return err
		}
		for k, r := range f.rests {
			if k.profile != name {
				continue
			}
			if _, err := tx.ExecContext(ctx, "INSERT INTO llm_rests (profile, model, why, failures, until) VALUES (?, ?, ?, ?, ?)",
				k.profile, k.model, string(r.why), r.n, r.until.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep rests of %s: %w", name, err)
	}
	return nil
}
