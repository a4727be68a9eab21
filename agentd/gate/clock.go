package gate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"gatehouse/agentd/store"
)

// clock is the gate's own time. It never goes back, not even over restarts, so turning back the machine's clock gives no
// decision a longer life. A jump back counts as no time passing.
type clock struct {
	raw func() time.Time

	mu   sync.Mutex
	last time.Time // what raw said last
	high time.Time // what now answered last
	kept time.Time // the last moment that was kept because time had passed
}

// keepEvery is how much time may be lost when nothing is decided and the process ends.
const keepEvery = time.Minute

func newClock(ctx context.Context, db *store.DB, raw func() time.Time) (*clock, error) {
	var micros int64
	err := db.Read().QueryRowContext(ctx, "SELECT high FROM gate_clock WHERE id = 1").Scan(&micros)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read clock: %w", err)
	}
	c := &clock{raw: raw, last: raw().Round(0), high: time.UnixMicro(micros).UTC()}
	if c.last.After(c.high) {
		c.high = c.last
	}
	return c, nil
}

// now is the gate's time. Round strips the monotonic reading: it does not count while the machine sleeps.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.raw().Round(0)
	if d := at.Sub(c.last); d > 0 {
		c.high = c.high.Add(d)
	}
	c.last = at
	return c.high.UTC()
}

// due reports whether keepEvery has passed since it last did, so that the moment should be kept.
func (c *clock) due(at time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.Sub(c.kept) < keepEvery {
		return false
	}
	c.kept = at
	return true
}

// keep makes the latest moment durable with the decision that was made at it.
func (c *clock) keep(ctx context.Context, tx *sql.Tx, at time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO gate_clock (id, high) VALUES (1, ?)
		ON CONFLICT (id) DO UPDATE SET high = max(high, excluded.high)`, at.UnixMicro())
	if err != nil {
		return fmt.Errorf("keep clock: %w", err)
	}
	return nil
}
