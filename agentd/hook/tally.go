package hook

import (
	"context"
	"maps"
	"sync"
	"time"

	"gatehouse/agentd/wire"
)

// kind is what is counted together.
type kind struct {
	hook, name, reason, run string
	verdict                 wire.HookVerdict
	unproven                bool // anybody can have sent it
}

// counted is how much of a kind came in one minute.
type counted struct {
	seq       int64 // of its row; 0: it has none yet
	n, size   int
	begun, at time.Time
	unkept    bool
}

// tally counts what begins no run. It is in memory, and gets into the table once a second at most: a second of it can be lost.
type tally struct {
	flushing sync.Mutex           // one at a time
	recorded map[string]time.Time // by hook: when a refusal for want of proof was put on record; under flushing

	mu   sync.Mutex
	rows map[kind]*counted
}

// add counts one more. A row stands for a minute.
func (c *tally) add(k kind, size int, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.rows[k]
	if e == nil || e.n > 0 && !e.unkept && now.Sub(e.begun) >= time.Minute {
		e = &counted{begun: now}
		c.rows[k] = e
	}
	e.n++
	e.size, e.at, e.unkept = size, now, true
}

// take gives what is not kept yet, and forgets what is over.
func (c *tally) take(now time.Time) map[kind]counted {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[kind]counted{}
	for k, e := range c.rows {
		if e.unkept {
			out[k] = *e
			e.unkept = false
		} else if now.Sub(e.begun) >= time.Minute {
			delete(c.rows, k)
		}
	}
	return out
}

// kept notes under which rows that stands, or that it does not.
func (c *tally) kept(all map[kind]counted, seqs map[kind]int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range all {
		e := c.rows[k]
		switch {
		case e == nil:
		case err != nil:
			e.unkept = true
		default:
			e.seq = seqs[k]
		}
	}
}

// flush puts what was counted into the table, and on record once for each row; what anybody can have sent, once in a while.
func (h *Hooks) flush(ctx context.Context) error {
	h.tally.flushing.Lock()
	defer h.tally.flushing.Unlock()
	all := h.tally.take(h.now())
	if len(all) == 0 {
		return nil
	}
	var seqs map[kind]int64
	var recorded map[string]time.Time
	err := h.write(ctx, func(t txn) error {
		seqs, recorded = map[kind]int64{}, maps.Clone(h.tally.recorded) // it may run a second time
		for k, e := range all {
			seq, err := h.keepCounted(t, k, e, recorded)
			if err != nil {
				return err
			}
			seqs[k] = seq
		}
		return nil
	})
	if err == nil {
		h.tally.recorded = recorded
	}
	h.tally.kept(all, seqs, err)
	return err
}

// recordEvery is how often refusals for want of proof are put on record: whoever knows the address can make as many as they like.
const recordEvery = time.Hour

func (h *Hooks) keepCounted(t txn, k kind, e counted, recorded map[string]time.Time) (int64, error) {
	if e.seq != 0 {
		_, err := t.exec("UPDATE hook_deliveries SET count = ?, at = ?, size = ? WHERE seq = ?", e.n, micros(e.at), e.size, e.seq)
		return e.seq, err
	}
	seq, err := keepReceived(t, k.hook, wire.HookReceived{
		At: e.at, Verdict: k.verdict, Reason: k.reason, RunID: k.run, Count: e.n, Size: e.size,
	})
	if err != nil {
		return 0, err
	}
	if k.unproven {
		if last, there := recorded[k.hook]; there && e.at.Sub(last).Abs() < recordEvery {
			return seq, nil
		}
		recorded[k.hook] = e.at
	}
	return seq, h.receipt(t, "hook."+string(k.verdict), k.run, map[string]any{"hook": k.hook, "name": k.name, "reason": k.reason})
}

// keepReceived adds a row of what came.
func keepReceived(t txn, hook string, r wire.HookReceived) (seq int64, err error) {
	err = t.db.QueryRow(t.tx, `INSERT INTO hook_deliveries (hook, at, verdict, reason, run_id, count, size) VALUES (?,?,?,?,?,?,?)
		RETURNING seq`, hook, micros(r.At), r.Verdict, r.Reason, r.RunID, r.Count, r.Size).Scan(&seq)
	return seq, err
}
