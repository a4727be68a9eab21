package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/wire"
)

// reportHead begins the turn in which a conversation hears of its sub-agents. What they say is content, not an order.
const reportHead = "[Report of sub-agents, by the runtime, not by the owner]"

// maxReported is how many characters of one result a report passes on.
const maxReported = 12_000

// settle ends what belongs to a tree, in the transaction that ends it: a sub-agent is over, a run that a person stopped takes
// the sub-agents with it that it began, and the conversation hears of those that have ended.
func (t *tree) settle(tx txn, why error) error {
	failpoint.Hit("subagent ending")
	root := t.root.id
	var stop *stoppedError
	if errors.As(why, &stop) && !stop.alone {
		if err := t.rt.stopSubs(tx, root, stop.by); err != nil {
			return err
		}
	}
	if t.sub != nil {
		root = t.sub.parentRoot
		now := t.rt.now()
		err := errors.Join(
			tx.exec("end sub-agent", "UPDATE subagents SET state = ?, ended_at = ? WHERE id = ?",
				string(endOf(why)), micros(now), t.root.id),
			tx.exec("archive", "UPDATE sessions SET archived_at = ? WHERE id = ?", micros(now.Add(keptAfter)), t.session),
		)
		if err != nil {
			return err
		}
		t.rt.store.OnCommit(tx.tx, t.rt.subs.tell)
	}
	return t.rt.report(tx, root)
}

// endOf is how a sub-agent ended.
func endOf(why error) wire.SubState {
	var stop *stoppedError
	var limit *limitError
	switch {
	case why == nil:
		return wire.SubCompleted
	case errors.As(why, &stop):
		return wire.SubStopped
	case errors.As(why, &limit) && limit.time:
		return wire.SubTimedOut
	}
	return wire.SubFailed
}

// report begins the turn that tells a conversation what the sub-agents of one root run have found: once that run has ended,
// and none of them is at work anymore; one that waits for a person holds up nobody. Each is told of once.
func (r *Runtime) report(tx txn, root string) error {
	ended, err := r.untold(tx, root)
	if err != nil || len(ended) == 0 {
		return err
	}
	told := nobody // who stopped them knows
	if slices.ContainsFunc(ended, func(s subRow) bool { return s.Ended != wire.SubStopped }) {
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("run id: %w", err)
		}
		told = id.String()
		if err := r.beginReport(tx, told, root, ended); err != nil {
			return err
		}
	}
	for _, s := range ended {
		if err := tx.exec("keep report", "UPDATE subagents SET told = ? WHERE id = ?", told, s.ID); err != nil {
			return err
		}
	}
	return nil
}

// untold are the sub-agents of a root run that have ended and of which nobody knows; none while it is too early to tell.
func (r *Runtime) untold(tx txn, root string) ([]subRow, error) {
	var some, early int
	const ended = "SELECT count(*) FROM subagents WHERE parent_root = ? AND state <> '' AND told = ''"
	if err := tx.row(ended, root).Scan(&some); err != nil || some == 0 { // as for nearly every run
		return nil, err
	}
	err := tx.row(`SELECT (SELECT count(*) FROM runs WHERE id = ?1 AND state IN ('queued', 'running', 'parked'))
		+ (SELECT count(*) FROM subagents s JOIN runs r ON r.id = s.id
			WHERE s.parent_root = ?1 AND s.state = '' AND r.state IN ('queued', 'running'))`, root).Scan(&early)
	if err != nil {
		return nil, fmt.Errorf("read sub-agents: %w", err)
	}
	if early > 0 {
		return nil, nil
	}
	return subsWhere(context.Background(), tx.tx, "s.parent_root = ? AND s.state <> '' AND s.told = ''", root)
}

// beginReport puts the turn on record that tells of sub-agents, behind all that they have read.
func (r *Runtime) beginReport(tx txn, id, root string, ended []subRow) error {
	rows, err := rowsWhere(context.Background(), tx.tx, "id = ?", root)
	if err != nil || len(rows) == 0 {
		return err // the conversation was deleted
	}
	above := rows[0]
	m := wire.ChatMessage{RunID: id, SessionID: above.SessionID, Agent: above.Agent, Text: reportText(ended), Time: r.now()}
	if err := json.Unmarshal(above.Origin, &m.From); err != nil {
		return fmt.Errorf("origin of run %s: %w", root, err)
	}
	m.From.Report = true // its channel stays: the owner's rules about that hold here as well
	seq, _, err := r.insert(tx, m)
	if err != nil {
		return err
	}
	budget := cmp.Or(above.BudgetRoot, above.ID)
	err = tx.exec("keep report", "UPDATE runs SET level_cap = ?, budget_root = ? WHERE seq = ?", above.LevelCap, budget, seq)
	if err != nil {
		return err
	}
	for _, s := range ended {
		err := tx.exec("keep taint", `INSERT OR IGNORE INTO run_taint (run_id, source, ref, at)
			SELECT ?, source, ref, at FROM run_taint WHERE run_id = ?`,
			id, s.ID)
		if err != nil {
			return err
		}
	}
	r.store.OnCommit(tx.tx, func() {
		failpoint.Hit("subagent told")
		t := r.newTree(m, seq)
		t.levelCap, t.budget = above.LevelCap, budget
		r.enqueue(t)
	})
	return nil
}

// inheritReport takes over the taint that stood behind a report when it was put on record.
func (r *run) inheritReport(ctx context.Context) error {
	if r.parent != nil || !r.t.origin.Report {
		return nil
	}
	behind, err := taint.OfRun(ctx, r.rt.store, r.id)
	r.addTaint(behind)
	return err
}

// reportText is what a conversation reads of sub-agents that have ended.
func reportText(ended []subRow) string {
	var b strings.Builder
	b.WriteString(reportHead)
	for i, s := range ended {
		fmt.Fprintf(&b, "\n\n%d. %s", i+1, s.words())
	}
	b.WriteString("\n\nTell the owner what came of it, all together and in your own words.")
	return b.String()
}

// words are a sub-agent as its agent reads of it: who, how it stands, its task and, once it has ended, its result.
func (s subRow) words() string {
	head := fmt.Sprintf("%s (%s, %s): %s", s.ID, s.Agent, s.state(), preview(s.Task))
	switch {
	case s.Ended != "":
		return head + "\n" + truncate(s.result(), maxReported)
	case s.Run == wire.RunParked:
		return head + "\nIt waits for a person to answer a request. Its report comes by itself."
	}
	return head
}

// result is what a sub-agent that has ended leaves.
func (s subRow) result() string {
	var f wire.FinalData
	if s.Final != "" && json.Unmarshal([]byte(s.Final), &f) == nil {
		return doubted(f)
	}
	var e wire.ErrorData
	if s.Failed != "" && json.Unmarshal([]byte(s.Failed), &e) == nil {
		return strings.TrimSpace("It has no result. " + e.Title + ": " + e.Detail + "\n" + e.Text)
	}
	return "It has no result."
}

// toldTo are the sub-agents whose results a root run was given: their receipts stand for it as well.
func (r *Runtime) toldTo(ctx context.Context, root string) (ids []string, err error) {
	return r.texts(ctx, "SELECT id FROM subagents WHERE told = ? ORDER BY id", root)
}

// subParked lets those who wait for a sub-agent know that it waits for a person.
func (t *tree) subParked() {
	if t.sub == nil {
		return
	}
	t.later(func(tx txn) error {
		t.rt.store.OnCommit(tx.tx, t.rt.subs.tell)
		return t.rt.report(tx, t.sub.parentRoot)
	})
}
