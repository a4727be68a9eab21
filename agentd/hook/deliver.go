package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/hook/proof"
	"gatehouse/agentd/wire"
)

// Deliver takes what somebody outside has sent, or says why not. An error means that nothing was taken and nobody knows why: the
// sender sends it again.
func (h *Hooks) Deliver(ctx context.Context, d wire.HookDelivery) (wire.HookAnswer, error) {
	r, err := h.named(ctx, d.Name)
	if errors.Is(err, errNone) {
		return stranger("").HookAnswer, nil
	}
	if err != nil {
		return wire.HookAnswer{}, err
	}
	o, err := h.judge(ctx, r, d)
	if err != nil {
		return wire.HookAnswer{}, err
	}
	if o.Verdict != wire.HookAccepted {
		why := o.why
		if why == "" {
			why = o.Reason
		}
		h.tally.add(kind{hook: r.ID, name: r.Name, verdict: o.Verdict, reason: why, run: o.RunID, unproven: o.unproven}, d.Size, h.now())
	}
	return o.HookAnswer, nil
}

// judge looks at a delivery from the cheapest question to the dearest one. Who has no proof learns nothing, and uses nothing up.
func (h *Hooks) judge(ctx context.Context, r row, d wire.HookDelivery) (outcome, error) {
	if d.Size > wire.MaxHookBody || len(d.Body) > wire.MaxHookBody {
		return tooLong(r, d), nil
	}
	marks, why, err := h.prove(ctx, r, proof.Sent{Headers: d.Headers, Body: d.Body})
	switch {
	case err != nil:
		return outcome{}, err
	case why != "":
		return stranger(why), nil
	case r.State == wire.HookPaused:
		return unavailable("This hook is paused.", int(time.Hour.Seconds())), nil
	case !utf8.Valid(d.Body) || strings.ContainsRune(string(d.Body), 0):
		return refused(http.StatusUnsupportedMediaType, "It is not text. Nothing was taken.", "It was not text."), nil
	}
	run, err := h.seenBefore(ctx, r.ID, marks)
	if err != nil {
		return outcome{}, err
	}
	if run != "" {
		return repeated(run), nil
	}
	if wait := h.buckets.take(r.ID, r.PerMinute, h.now()); wait > 0 {
		return tooMany(wait, fmt.Sprintf("More than %d came within a minute.", r.PerMinute)), nil
	}
	var o outcome
	err = h.write(ctx, func(t txn) (err error) {
		failpoint.Hit("hook came")
		o, err = h.take(t, r.ID, d, marks)
		return err
	})
	failpoint.Hit("hook taken")
	return o, err
}

// seenBefore is the run of a delivery that came before; empty when it is new.
func (h *Hooks) seenBefore(ctx context.Context, hook string, marks []proof.Mark) (run string, err error) {
	for _, m := range marks {
		var found string
		err := h.d.DB.Read().QueryRowContext(ctx, seenQuery, hook, m.Of, micros(h.now())).Scan(&found)
		if err != nil {
			return "", fmt.Errorf("read deliveries: %w", err)
		}
		if found != "" {
			return found, nil
		}
	}
	return "", nil
}

const seenQuery = "SELECT coalesce(max(run_id), '') FROM hook_seen WHERE hook = ? AND mark = ? AND until >= ?"

// take begins the run of a delivery, in one transaction with everything that says that it came.
func (h *Hooks) take(t txn, id string, d wire.HookDelivery, marks []proof.Mark) (outcome, error) {
	r, err := find(t, id) // as it is now
	if err != nil {
		return outcome{}, err
	}
	for _, m := range marks {
		var run string
		if err := t.db.QueryRow(t.tx, seenQuery, id, m.Of, micros(h.now())).Scan(&run); err != nil {
			return outcome{}, fmt.Errorf("read deliveries: %w", err)
		}
		if run != "" {
			return repeated(run), nil
		}
	}
	if no, err := h.barred(t, r); err != nil || no.Status != 0 {
		return no, err
	}
	start, no := h.start(r, d)
	if no.Status != 0 {
		return no, nil
	}
	flagged := h.fill(&start, r, d)
	if err := h.begin(t, &r, start); err != nil {
		var told *wire.RPCError
		if errors.As(err, &told) {
			return unavailable(told.Text, later), nil
		}
		return outcome{}, err
	}
	return outcome{HookAnswer: wire.HookAnswer{
		Verdict: wire.HookAccepted, Status: http.StatusAccepted, RunID: start.RunID,
	}}, h.keepTaken(t, r, d, start, marks, flagged)
}

// barred says what stands in the way of any delivery to a hook.
func (h *Hooks) barred(t txn, r row) (outcome, error) {
	cfg := h.d.Config()
	switch {
	case r.State != wire.HookActive:
		return unavailable("This hook is paused.", int(time.Hour.Seconds())), nil
	case r.Agent != "" && !h.d.HasAgent(r.Agent):
		return unavailable("Its agent is not in the team anymore.", int(time.Hour.Seconds())), nil
	case h.d.Broken(r.Agent):
		return brokenAgent(), nil
	case cfg.Agents[r.Agent].Off:
		return unavailable("Its agent is switched off.", int(time.Hour.Seconds())), nil
	case cfg.Spend.Paused != "":
		return unavailable("The team rests.", int(time.Hour.Seconds())), nil
	}
	if p := h.d.Paused(r.Agent); p != nil {
		return pausedAgent(p), nil
	}
	open, err := h.d.Runs.Open(t.tx, r.Session)
	if err != nil || open < wire.MaxHookOpen {
		return outcome{}, err
	}
	return tooMany(later*time.Second, fmt.Sprintf("%d runs of it have not ended.", wire.MaxHookOpen)), nil
}

// keepTaken puts on record that a delivery was taken, and by what it is known again.
func (h *Hooks) keepTaken(t txn, r row, d wire.HookDelivery, s Start, marks []proof.Mark, flagged []string) error {
	_, err := keepReceived(t, r.ID, wire.HookReceived{At: s.At, Verdict: wire.HookAccepted, RunID: s.RunID, Count: 1, Size: d.Size})
	if err != nil {
		return fmt.Errorf("keep delivery: %w", err)
	}
	for _, m := range marks {
		_, err := t.exec(`INSERT INTO hook_seen (hook, mark, run_id, until) VALUES (?,?,?,?)
			ON CONFLICT DO UPDATE SET run_id = excluded.run_id, until = excluded.until`, r.ID, m.Of, s.RunID, micros(s.At.Add(m.For)))
		if err != nil {
			return err
		}
	}
	sum := sha256.Sum256(d.Body)
	return h.receipt(t, "hook.accepted", s.RunID, map[string]any{
		"hook": r.ID, "name": r.Name, "agent": s.Agent, "size": d.Size, "hash": hex.EncodeToString(sum[:]), "flagged": flagged,
		"level": s.Level, "taint": s.Taint,
	})
}
