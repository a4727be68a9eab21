package runtime

import (
	"context"
	"fmt"
	"slices"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
)

// maxSources bounds the sources that a run names. Any beyond change nothing: one is enough to taint it.
const maxSources = 50

// sources are where the content from outside came from that stands in the context of this run.
func (r *run) sources() []policy.Source {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	return slices.Clone(r.taint)
}

// with are the sources of this run and those of a call.
func (r *run) with(more []policy.Source) []policy.Source {
	all := r.sources()
	for _, s := range more {
		if len(all) < maxSources && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// tainted puts sources on the run, and on record with the next write: before the gate sees its next call.
func (r *run) tainted(by []policy.Source) {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	now := r.t.rt.d.Now()
	for _, s := range by {
		if len(r.taint) >= maxSources || slices.Contains(r.taint, s) {
			continue
		}
		r.taint = append(r.taint, s)
		r.t.add(func(tx txn) error { return insertTaint(tx, r.id, s, micros(now)) })
	}
}

func insertTaint(tx txn, run string, s policy.Source, at int64) error {
	return tx.exec("keep taint", "INSERT OR IGNORE INTO run_taint (run_id, source, ref, at) VALUES (?,?,?,?)", run, s.Source, s.ID, at)
}

// absorb takes over the taint of what a call brought in: its own result, the answer of a delegated run, a file that holds
// content from outside.
func (r *run) absorb(c *call, out gate.Outcome) {
	r.tainted(out.Taint)
	if child := c.child(); child != nil {
		r.tainted(child.sources())
	}
	r.tainted(c.read)
}

// request is what the owner wrote to the root run; empty when a machine did.
func (t *tree) request() string {
	switch policy.OriginOf(t.origin.Channel) {
	case policy.FromPortal, policy.FromAPI:
		return t.root.text
	}
	return ""
}

// remember takes over the taint of the earlier turns which a root run reads.
func (r *run) remember(ctx context.Context) error {
	if r.parent != nil || r.t.first {
		return nil
	}
	before, err := taintWhere(ctx, r.t.rt.d.Store, `run_id IN (SELECT id FROM runs WHERE session_id = ?1 AND depth = 0 AND seq < ?2
		AND seq > (SELECT fresh_after FROM sessions WHERE id = ?1))`, r.t.session, r.t.seq)
	r.tainted(before)
	return err
}

func taintWhere(ctx context.Context, s Store, where string, args ...any) ([]policy.Source, error) {
	rows, err := s.Read().QueryContext(ctx, "SELECT DISTINCT source, ref FROM run_taint WHERE "+where+" ORDER BY at, source, ref", args...)
	if err != nil {
		return nil, fmt.Errorf("read taint: %w", err)
	}
	defer rows.Close()
	var all []policy.Source
	for rows.Next() {
		var one policy.Source
		if err := rows.Scan(&one.Source, &one.ID); err != nil {
			return nil, fmt.Errorf("read taint: %w", err)
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
