package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/wire"
)

// The channels of what a schedule or a rule on events sends, and of what came to a hook; policy.OriginOf knows them.
const (
	scheduleChannel = string(policy.FromSchedule)
	hookChannel     = string(policy.FromWebhook)
)

// Scheduled is a message that a schedule or a rule on events sends, that came to a hook, or that came by a messaging channel.
type Scheduled struct {
	wire.ChatMessage                 // From is whom the schedule works for; its channel is set here
	Title            string          // of its conversation, where that begins with it
	Level            int             // the run and what it delegates stand no higher
	Taint            []policy.Source // the content from outside that stood behind the schedule: it stands behind the run as well
	Fresh            bool            // the run reads nothing of what was said before
	Archived         bool            // its conversation is kept with the archived ones
	Say              string          // the answer, where no model is to be asked
	Hook             bool            // it came to a hook
	Rule             string          // on events, that sends it; empty: none
	Messaging        bool            // it came by a messaging channel, which From names
}

// AcceptScheduled takes in what a schedule sends, inside the Write that puts its tick on record. The run starts once tx is
// durable. A repeat with the same run id changes nothing.
func (r *Runtime) AcceptScheduled(tx *sql.Tx, m Scheduled) error {
	if err := checkMessage(m.ChatMessage); err != nil {
		return err
	}
	m.From.Report = false
	if !m.Messaging {
		m.From.Channel, m.From.Owner = scheduleChannel, false
	}
	if m.Hook {
		m.From.Channel = hookChannel
	}
	if m.Rule != "" {
		m.From.Rule = m.Rule
	}
	return r.acceptWith(txn{tx, r.store}, m)
}

// acceptWith takes in a message with what stands behind it.
func (r *Runtime) acceptWith(tx txn, m Scheduled) error {
	seq, first, err := r.insert(tx, m.ChatMessage)
	if err != nil || seq == 0 {
		return err
	}
	if err := r.insertScheduled(tx, m, seq, first); err != nil {
		return err
	}
	r.store.OnCommit(tx.tx, func() {
		t := r.newTree(m.ChatMessage, seq)
		t.first, t.levelCap, t.root.said = first, m.Level, m.Say
		t.root.taint = append(t.root.taint, m.Taint...)
		r.enqueue(t)
	})
	return nil
}

// insertScheduled keeps what a message of a person does not have.
func (r *Runtime) insertScheduled(tx txn, m Scheduled, seq int64, first bool) error {
	err := tx.exec("keep level", "UPDATE runs SET level_cap = ?, said = ? WHERE seq = ?", m.Level, redact.Text(m.Say), seq)
	if err != nil {
		return err
	}
	for _, s := range m.Taint {
		if err := taint.Record(r.store, tx.tx, m.RunID, s, r.now()); err != nil {
			return err
		}
	}
	if m.Fresh {
		if err := tx.exec("start afresh", "UPDATE sessions SET fresh_after = ? WHERE id = ?", seq-1, m.SessionID); err != nil {
			return err
		}
	}
	if first && m.Title != "" {
		if err := tx.exec("keep title", "UPDATE sessions SET title = ? WHERE id = ?", redact.Text(m.Title), m.SessionID); err != nil {
			return err
		}
	}
	if !m.Archived {
		return nil
	}
	return tx.exec("archive", "UPDATE sessions SET archived_at = ? WHERE id = ?", micros(r.now()), m.SessionID)
}

// say answers with what the schedule said, without a model. It waits for no lane.
func (t *tree) say() error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	t.root.recordState(wire.RunRunning)
	t.root.answer, t.root.finished = redact.Text(t.root.said), true
	t.root.checked.Verdict = wire.VerdictNothingRan
	return nil
}

// OpenIn says how many root runs of a conversation have not ended.
func (r *Runtime) OpenIn(tx *sql.Tx, session string) (n int, err error) {
	err = txn{tx, r.store}.row("SELECT count(*) FROM runs WHERE session_id = ? AND id = root_id AND state IN ('queued', 'running', "+
		"'parked')", session).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("read runs: %w", err)
	}
	return n, nil
}

// Behind is what stands behind a call: what a thing that it makes for later must keep.
type Behind struct {
	Agent   string
	RunID   string // the root run
	Session string
	From    wire.Origin
	Level   int             // lowest of the chain of delegation, as of now
	Taint   []policy.Source // the content from outside that the run has read
}

// Behind says what stands behind a call that is with the gate.
func (r *Runtime) Behind(callID, runID string) (Behind, error) {
	c := r.inFlight.find(callID)
	if c == nil || c.run.id != runID {
		return Behind{}, fmt.Errorf("run %s does not make the call %s", runID, callID)
	}
	g := c.run.gateCall(c)
	return Behind{
		Agent: g.Agent, RunID: g.RootRunID, Session: g.SessionID, From: g.Origin, Level: g.Level, Taint: g.Taint,
	}, nil
}

// ScheduledOutcome is how a run of a schedule stands.
type ScheduledOutcome struct {
	State   wire.RunState // empty: it is not there anymore
	Changed bool          // it, or a run that it delegated to, made a call that does more than read
	Paused  bool          // it failed because the team is paused
	Why     string        // of one that failed, in words
}

// OutcomeOf says how a run of a schedule stands, as far as it is on disk.
func (r *Runtime) OutcomeOf(tx *sql.Tx, runID string) (ScheduledOutcome, error) {
	var o ScheduledOutcome
	var failed string
	err := txn{tx, r.store}.row(`SELECT state, error,
		EXISTS (SELECT 1 FROM runs c WHERE c.root_id = runs.id AND c.worst NOT IN ('', 'green'))
		FROM runs WHERE id = ?`, runID).Scan(&o.State, &failed, &o.Changed)
	if errors.Is(err, sql.ErrNoRows) {
		return o, nil
	}
	if err != nil {
		return o, fmt.Errorf("read run: %w", err)
	}
	var e wire.ErrorData
	if failed != "" && json.Unmarshal([]byte(failed), &e) == nil {
		o.Why, o.Paused = e.Title, e.Type == pausedType
	}
	return o, nil
}
