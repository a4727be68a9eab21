package event

import (
	"cmp"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"gatehouse/agentd/wire"
)

// pending is what a stream has shown and not stored yet.
type pending struct {
	events  []wire.RunEvent
	changes []numbered
}

// numbered is a change with its place in the order of the stream's changes.
type numbered struct {
	no int64
	do Change
}

func (p pending) empty() bool { return len(p.events) == 0 && len(p.changes) == 0 }

// has reports whether the event of a number is among them.
func (p pending) has(n int64) bool {
	_, ok := slices.BinarySearchFunc(p.events, n, func(e wire.RunEvent, n int64) int { return cmp.Compare(e.N, n) })
	return ok
}

// merge joins what came later, in order.
func (p pending) merge(later pending) pending {
	all := pending{append(p.events, later.events...), append(p.changes, later.changes...)}
	slices.SortFunc(all.events, func(a, b wire.RunEvent) int { return cmp.Compare(a.N, b.N) })
	slices.SortFunc(all.changes, func(a, b numbered) int { return cmp.Compare(a.no, b.no) })
	return all
}

func (p pending) apply(s Store, tx *sql.Tx) error {
	if err := insert(s, tx, p.events); err != nil {
		return err
	}
	for _, c := range p.changes {
		if err := c.do(tx); err != nil {
			return err
		}
	}
	return nil
}

// insert stores events, several in one statement.
func insert(s Store, tx *sql.Tx, events []wire.RunEvent) error {
	const atOnce = 50
	for part := range slices.Chunk(events, atOnce) {
		args := make([]any, 0, 4*len(part))
		for _, e := range part {
			args = append(args, e.Root, e.N, string(e.Event), string(e.Data))
		}
		query := "INSERT INTO run_events (root_id, n, event, data) VALUES (?,?,?,?)" + strings.Repeat(",(?,?,?,?)", len(part)-1)
		if _, err := s.Exec(tx, query, args...); err != nil {
			return fmt.Errorf("keep events: %w", err)
		}
	}
	return nil
}
