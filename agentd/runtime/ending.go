package runtime

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// Ending is how a run has ended that nobody delegated.
type Ending struct {
	RunID   string
	Agent   string
	Outcome wire.EventOutcome
	From    wire.Origin
	Said    string // its answer, or why there is none
}

// tellOver says how a run has ended, in the transaction that ends it. The conversation of a sub-agent hears of it by itself.
func (t *tree) tellOver(tx txn, why error, said string) error {
	if t.rt.over == nil || t.sub != nil {
		return nil
	}
	return t.rt.over(tx.tx, Ending{RunID: t.root.id, Agent: t.root.agent, Outcome: outcomeOf(why), From: t.origin, Said: said})
}

// outcomeOf is how a run ended, in the words of events.
func outcomeOf(why error) wire.EventOutcome {
	var limit *limitError
	switch stateOf(why) {
	case wire.RunDone:
		return wire.OutcomeDone
	case wire.RunStopped:
		return wire.OutcomeStopped
	}
	if errors.As(why, &limit) {
		return wire.OutcomeLimit
	}
	return wire.OutcomeFailed
}

// Told is what an event tells of a root run: the title of its conversation, and all the content from outside that it and what it
// handed on have read, as far as that is on record in tx.
func (r *Runtime) Told(tx *sql.Tx, root string) (title string, behind []policy.Source, err error) {
	rows, err := tx.QueryContext(context.Background(), `SELECT DISTINCT source, ref FROM run_taint
		WHERE run_id IN (SELECT id FROM runs WHERE root_id = ?) ORDER BY at, source, ref`, root)
	if err != nil {
		return "", nil, fmt.Errorf("read taint: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var s policy.Source
		if err := rows.Scan(&s.Source, &s.ID); err != nil {
			return "", nil, fmt.Errorf("read taint: %w", err)
		}
		behind = append(behind, s)
	}
	if err := rows.Err(); err != nil {
		return "", nil, fmt.Errorf("read taint: %w", err)
	}
	err = txn{tx, r.store}.row("SELECT coalesce(max(s.title), '') FROM runs r JOIN sessions s ON s.id = r.session_id WHERE r.id = ?",
		root).Scan(&title)
	if err != nil {
		return "", nil, fmt.Errorf("read conversation: %w", err)
	}
	return title, behind, nil
}
