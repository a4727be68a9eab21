package webhook

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// backoff is how long after attempt n the next one comes: the same each time, a little over a day in all.
var backoff = []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 8 * time.Hour, 12 * time.Hour}

// maxLater is how long a receiver may ask to wait.
const maxLater = time.Hour

// maxFlying is how many results are with the gate at once.
const maxFlying = 8

// maxText is how many bytes of an answer are sent.
const maxText = 64 << 10

// sendDue has everything sent whose time has come, and says when the next one is due; the zero time when none is.
func (w *Webhooks) sendDue(ctx context.Context, sending *sync.WaitGroup) (next time.Time, err error) {
	rows, err := w.d.DB.Read().QueryContext(ctx, "SELECT "+deliveryColumns+` FROM schedule_deliveries
		WHERE state = 'waiting' ORDER BY next_at LIMIT 100`)
	if err != nil {
		return next, fmt.Errorf("read deliveries: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		d, err := scanDelivery(rows)
		if err != nil {
			return next, err
		}
		if d.nextAt.After(w.now()) {
			return d.nextAt, nil
		}
		if !w.flies(d.id) {
			continue
		}
		sending.Go(func() {
			err := w.send(context.WithoutCancel(ctx), d.id)
			w.landed(d.id)
			w.said(ctx, "send", err)
			if err == nil {
				w.Wake()
			}
		})
	}
	return next, rows.Err()
}

// flies notes that a delivery goes to the gate, unless it is there, or too many are.
func (w *Webhooks) flies(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.flying[id] || len(w.flying) >= maxFlying {
		return false
	}
	w.flying[id] = true
	return true
}

func (w *Webhooks) landed(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.flying, id)
}

// send makes one attempt, and notes what became of it.
func (w *Webhooks) send(ctx context.Context, id string) error {
	d, err := w.delivery(ctx, id)
	if err != nil || d.state != wire.DeliveryWaiting {
		return err
	}
	if gone, err := w.deleted(ctx, d.session); err != nil || gone {
		return cmp.Or(err, w.hold(ctx, d, heldDeleted))
	}
	if d.text == "" {
		if err := w.compose(ctx, &d); err != nil {
			return err
		}
	}
	g, err := w.target(ctx, d.schedule)
	switch {
	case errors.Is(err, errNoTarget):
		return w.hold(ctx, d, heldRemoved)
	case err != nil:
		return err
	case g.basis != d.basis:
		return w.hold(ctx, d, heldStale)
	}
	key, err := w.d.Keys.Key(ctx, wire.WebhookSecretName(d.schedule))
	if err != nil {
		return err
	}
	if !isSecret(key, g.secretHash) {
		return w.hold(ctx, d, heldSecret)
	}
	args, err := json.Marshal(d.args(g))
	if err != nil {
		return fmt.Errorf("send result: %w", err)
	}
	out, err := w.d.Gate.Do(ctx, gate.Call{
		// Each attempt has a budget of its own: a receiver that keeps failing in the same way is no agent that goes in circles.
		ID: d.callID, RunID: d.runID, RootRunID: d.callID, SessionID: d.session, Agent: d.agent, Tool: ToolName, Args: args, Level: d.level,
		Origin: wire.Origin{Channel: string(policy.FromSchedule)}, Taint: d.taint, Reason: "Result of a schedule",
		// The owner has named the receiver with a signature. Where somebody would be asked all the same, the result is held.
		Request: hostOf(g.url), NeverAsk: true,
	}, func(bool) {})
	if err != nil {
		return err
	}
	failpoint.Hit("webhook answered")
	return w.settle(ctx, d, out)
}

// compose reads what the run of a delivery has said, and keeps it, so that each attempt sends the same.
func (w *Webhooks) compose(ctx context.Context, d *delivery) error {
	said, err := w.d.Answers.Answer(ctx, d.runID)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(redact.Text(cmp.Or(d.failed, said.Text)))
	d.text = cmp.Or(redact.Clip(text, maxText), "(There is no answer.)")
	d.taint = append(d.taint, said.Taint...)
	taint, err := json.Marshal(d.taint)
	if err != nil {
		return fmt.Errorf("keep delivery: %w", err)
	}
	return w.write(ctx, func(t txn) error {
		return t.exec("UPDATE schedule_deliveries SET text = ?, taint = ? WHERE id = ? AND text = '' AND state = 'waiting'",
			d.text, string(taint), d.id)
	})
}

// hold ends a delivery that may not go out.
func (w *Webhooks) hold(ctx context.Context, d delivery, why string) error {
	return w.write(ctx, func(t txn) error { return w.over(t, d, wire.DeliveryHeld, why) })
}

// over ends a delivery. What it would have sent is kept with its run alone.
func (w *Webhooks) over(t txn, d delivery, state wire.DeliveryState, why string) error {
	err := t.exec("UPDATE schedule_deliveries SET state = ?, reason = ?, text = '', next_at = 0 WHERE id = ? AND state = 'waiting'",
		state, why, d.id)
	if err != nil {
		return err
	}
	return w.receipt(t, "schedule.delivery", d.runID, map[string]any{
		"schedule": d.schedule, "due": d.due.Format(time.RFC3339), "state": state, "reason": why, "id": d.id, "call_id": d.callID,
	})
}

// settle notes what became of an attempt. It is tried again until the receiver has said that it has it.
func (w *Webhooks) settle(ctx context.Context, d delivery, out gate.Outcome) error {
	is := w.fates.take(d.callID)
	return w.write(ctx, func(t txn) error {
		if out.State == wire.ToolDenied {
			return w.over(t, d, wire.DeliveryHeld, out.Text)
		}
		why := out.Text
		if out.State == wire.ToolDone {
			why = ""
		}
		if first, err := w.attempted(t, d, is.status, why); err != nil || !first {
			return err
		}
		switch n := d.attempts; {
		case out.State == wire.ToolDone:
			return w.over(t, d, wire.DeliverySent, "")
		case n >= len(backoff):
			return w.over(t, d, wire.DeliveryFailed, fmt.Sprintf("It was tried %d times. The last time: %s", n+1, why))
		default:
			return t.exec(`UPDATE schedule_deliveries SET attempts = attempts + 1, reason = ?, call_id = ?, next_at = ?
				WHERE id = ? AND state = 'waiting'`,
				why, newID(), micros(w.now().Add(max(backoff[n], is.after))), d.id)
		}
	})
}

// attempted notes one attempt; first says that it was not noted yet.
func (w *Webhooks) attempted(t txn, d delivery, status int, why string) (first bool, err error) {
	var there bool
	err = t.db.QueryRow(t.tx, "SELECT EXISTS (SELECT 1 FROM schedule_attempts WHERE call_id = ?)", d.callID).Scan(&there)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, fmt.Errorf("read attempts: %w", err)
	}
	if there {
		return false, nil
	}
	return true, t.exec("INSERT INTO schedule_attempts (call_id, delivery, at, status, reason) VALUES (?,?,?,?,?)", d.callID, d.id,
		micros(w.now()), status, why)
}

// fate is what is known of an attempt beside the outcome of its call.
type fate struct {
	status int           // of HTTP
	after  time.Duration // before which the receiver takes none
}

// fates are those of attempts of this process.
type fates struct {
	mu sync.Mutex
	of map[string]fate
}

func (f *fates) put(call string, is fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of[call] = is
}

func (f *fates) take(call string) fate {
	f.mu.Lock()
	defer f.mu.Unlock()
	is := f.of[call]
	delete(f.of, call)
	return is
}
