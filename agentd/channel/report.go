package channel

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// heard is when somebody wrote last by a channel.
func (c *Channels) heard(ctx context.Context, channel, address string) (time.Time, error) {
	var at int64
	err := c.d.DB.Read().QueryRowContext(ctx, "SELECT coalesce(max(at), 0) FROM channel_messages WHERE channel = ? AND address = ?",
		channel, address).Scan(&at)
	if err != nil {
		return time.Time{}, fmt.Errorf("read messages: %w", err)
	}
	return fromMicros(at), nil
}

// early are reports about messages whose sending is not on record yet: a provider may be faster than this server writes.
type early struct {
	mu sync.Mutex
	of map[string]Report
}

// maxEarly is how many of them are kept.
const maxEarly = 200

func (e *early) put(channel string, r Report) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil || len(e.of) >= maxEarly {
		e.of = map[string]Report{}
	}
	for _, key := range []string{channel + " " + r.On, channel + " " + r.ID} {
		if was, is := e.of[key]; key != channel+" " && (!is || was.State != Failed && was.State != Seen) {
			e.of[key] = r
		}
	}
}

// take gives what was reported about a message by its own id or the provider's, once.
func (e *early) take(channel, id, on string) (r Report, is bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, key := range []string{channel + " " + id, channel + " " + on} {
		if was, there := e.of[key]; there {
			r, is = was, true
			delete(e.of, key)
		}
	}
	return r, is
}

// reported notes what a provider says about a message that it took. Reports come several times and in any order: what was read was
// delivered, and what failed was neither. A message of which nobody knew whether it was sent was, when the provider names it.
func (c *Channels) reported(t txn, channel string, r Report) error {
	var id, state string
	var now ReportState
	err := t.db.QueryRow(t.tx, `SELECT coalesce(max(id), ''), coalesce(max(state), ''), coalesce(max(reported), '') FROM channel_outbox
		WHERE channel = ?1 AND (state = 'sent' AND sent_id = ?2 AND ?2 <> '' OR state IN ('sent', 'unknown') AND id = ?3)`,
		channel, r.On, r.ID).Scan(&id, &state, &now)
	if err != nil {
		return fmt.Errorf("read outbox: %w", err)
	}
	switch {
	case id == "":
		c.early.put(channel, r)
		return nil
	case state == "unknown" && r.State != Failed:
		if err := t.exec("UPDATE channel_outbox SET state = 'sent', why = '', sent_id = ? WHERE id = ?", r.On, id); err != nil {
			return err
		}
		if err := c.receipt(t, "channel.sent", "", map[string]any{"channel": channel, "id": id, "reason": "reported"}); err != nil {
			return err
		}
	}
	switch {
	case now == Seen, now == r.State, now == Delivered && r.State != Seen, r.State == Sent:
		return nil
	case r.State != Failed:
		return t.exec("UPDATE channel_outbox SET reported = ? WHERE id = ?", r.State, id)
	}
	if err := t.exec("UPDATE channel_outbox SET reported = ?, state = 'failed', why = ? WHERE id = ?", r.State, r.Why, id); err != nil {
		return err
	}
	return c.receipt(t, "channel.failed", "", map[string]any{"channel": channel, "id": id, "reason": r.Why})
}
