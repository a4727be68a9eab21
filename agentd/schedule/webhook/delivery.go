package webhook

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// Result is a tick whose run has ended for good.
type Result struct {
	Schedule, RunID, Agent, Session string
	Due                             time.Time
	Verdict                         wire.TickVerdict
	Outcome                         wire.TickOutcome
	Failed                          string // why there is no answer; empty when there is one
	Basis                           string // what the schedule did when the run began; empty: it does something else since
	Level                           int
	Taint                           []policy.Source // stands behind the schedule
}

// Why a result is held.
const (
	heldNone    = "Nobody has signed for an address yet."
	heldStale   = "The schedule was changed after its address was signed for, so nothing was sent. Sign again on its page."
	heldRemoved = "Its address was removed."
	heldDeleted = "Its conversation was deleted."
	heldSecret  = "The secret of its address is not there anymore, or not the one that was signed for. Set the address again."
)

// delivery is a result on its way as it stands in the table.
type delivery struct {
	id, schedule, runID, agent, session, failed, basis, text, reason, callID string

	due      time.Time
	verdict  wire.TickVerdict
	outcome  wire.TickOutcome
	state    wire.DeliveryState
	level    int
	attempts int
	nextAt   time.Time
	taint    []policy.Source
}

const deliveryColumns = `id, schedule, due, run_id, agent, session, level, verdict, outcome, failed, basis, text, taint, state, reason,
	call_id, attempts, next_at`

func scanDelivery(from scanner) (d delivery, err error) {
	var due, next int64
	var taint string
	err = from.Scan(&d.id, &d.schedule, &due, &d.runID, &d.agent, &d.session, &d.level, &d.verdict, &d.outcome, &d.failed,
		&d.basis, &d.text,
		&taint, &d.state, &d.reason, &d.callID, &d.attempts, &next)
	if err != nil {
		return d, fmt.Errorf("read delivery: %w", err)
	}
	d.due, d.nextAt = fromMicros(due), fromMicros(next)
	return d, json.Unmarshal([]byte(taint), &d.taint)
}

func (w *Webhooks) delivery(ctx context.Context, id string) (delivery, error) {
	return scanDelivery(w.d.DB.Read().QueryRowContext(ctx, "SELECT "+deliveryColumns+" FROM schedule_deliveries WHERE id = ?", id))
}

// Settled puts the result of a tick on its way, in the transaction that ends the tick. A repeat changes nothing.
func (w *Webhooks) Settled(tx *sql.Tx, r Result) error {
	t := w.in(tx)
	state, reason, next := wire.DeliveryWaiting, "", w.now()
	g, err := scanTarget(t.db.QueryRow(tx, targetQuery, r.Schedule))
	switch {
	case errors.Is(err, errNoTarget):
		state, reason, next = wire.DeliveryHeld, heldNone, time.Time{}
	case err != nil:
		return err
	case g.basis != r.Basis:
		state, reason, next = wire.DeliveryHeld, heldStale, time.Time{}
	}
	taint, err := json.Marshal(r.Taint)
	if err != nil {
		return fmt.Errorf("keep delivery: %w", err)
	}
	err = t.exec("INSERT INTO schedule_deliveries ("+deliveryColumns+`, created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,'',?,?,?,?,0,?,?)
		ON CONFLICT (schedule, due) DO NOTHING`, newID(), r.Schedule, micros(r.Due), r.RunID, r.Agent, r.Session, r.Level, r.Verdict,
		r.Outcome, r.Failed, r.Basis, string(taint), state, reason, newID(), micros(next), micros(w.now()))
	if err == nil && state == wire.DeliveryWaiting {
		t.db.OnCommit(tx, w.Wake)
	}
	return err
}

// Forget drops what results of a conversation say, in the transaction that deletes it. None of them is sent anymore.
func (w *Webhooks) Forget(tx *sql.Tx, session string) error {
	t := w.in(tx)
	return errors.Join(
		t.exec("UPDATE schedule_deliveries SET text = '', failed = '' WHERE session = ?", session),
		t.exec("UPDATE schedule_deliveries SET state = 'held', reason = ?, next_at = 0 WHERE session = ? AND state = 'waiting'",
			heldDeleted, session))
}

// deleted says whether a conversation was deleted.
func (w *Webhooks) deleted(ctx context.Context, session string) (gone bool, err error) {
	err = w.d.DB.Read().QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM deleted_sessions WHERE id = ?)", session).Scan(&gone)
	if err != nil {
		return false, fmt.Errorf("read deleted conversations: %w", err)
	}
	return gone, nil
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// key names a delivery to its receiver: the same at each attempt.
func (d delivery) key() string { return fmt.Sprintf("%s.%d", d.schedule, d.due.Unix()) }

// body is what the receiver gets, to the byte the same at each attempt.
func (d delivery) body() ([]byte, error) {
	return json.Marshal(wire.WebhookResult{
		Schedule: d.schedule, Due: d.due, RunID: d.runID, Verdict: d.verdict, Outcome: d.outcome, Text: d.text,
	})
}

// Deliveries gives the ways of the results of a schedule, by due time, for those of dues that have one.
func (w *Webhooks) Deliveries(ctx context.Context, schedule string, dues []time.Time) (all map[int64]*wire.ScheduleDelivery, err error) {
	all = map[int64]*wire.ScheduleDelivery{}
	if len(dues) == 0 {
		return all, nil
	}
	args := []any{schedule}
	for _, d := range dues {
		args = append(args, micros(d))
	}
	rows, err := w.d.DB.Read().QueryContext(ctx, `SELECT d.due, d.state, d.reason, d.next_at, coalesce(a.at, 0), coalesce(a.status, 0),
		coalesce(a.reason, '') FROM schedule_deliveries d LEFT JOIN schedule_attempts a ON a.delivery = d.id
		WHERE d.schedule = ? AND d.due IN (?`+strings.Repeat(", ?", len(dues)-1)+") ORDER BY a.at", args...)
	if err != nil {
		return nil, fmt.Errorf("read deliveries: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var due, next, at int64
		var one wire.ScheduleDelivery
		var try wire.DeliveryAttempt
		if err := rows.Scan(&due, &one.State, &one.Reason, &next, &at, &try.Status, &try.Reason); err != nil {
			return nil, fmt.Errorf("read deliveries: %w", err)
		}
		if all[due] == nil {
			one.NextAt, one.Attempts = fromMicros(next), []wire.DeliveryAttempt{}
			all[due] = &one
		}
		if at != 0 {
			try.At = fromMicros(at)
			all[due].Attempts = append(all[due].Attempts, try)
		}
	}
	return all, rows.Err()
}
