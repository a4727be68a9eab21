package schedule

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"time"

	"gatehouse/agentd/schedule/webhook"
	"gatehouse/agentd/wire"
)

var errNoWebhooks = badRequest("This server cannot send results to an address. Nothing was saved.")

// basis names what a schedule does: another agent, task or condition gives other results.
func (r row) basis() string {
	sum := sha256.Sum256([]byte(toJSON([]any{r.Agent, r.Task, r.condition()})))
	return hex.EncodeToString(sum[:])
}

// webhook carries out what a person does with the address of a schedule.
func (s *Schedules) webhook(ctx context.Context, c wire.WebhookChange) (wire.Schedule, error) {
	if s.d.Webhooks == nil {
		return wire.Schedule{}, errNoWebhooks
	}
	if _, err := s.Get(ctx, wire.ScheduleParams{ID: c.Act.Schedule}); err != nil {
		return wire.Schedule{}, err
	}
	err := s.d.Webhooks.Change(ctx, c, func(tx *sql.Tx) (string, error) { return s.bind(txn{tx, s.d.DB}, c.Act) })
	if err != nil {
		return wire.Schedule{}, err
	}
	return s.Get(ctx, wire.ScheduleParams{ID: c.Act.Schedule})
}

// bind has a schedule send its results to an address, or not anymore. What the person saw and signed for must be what it does.
func (s *Schedules) bind(t txn, a wire.WebhookAct) (basis string, err error) {
	r, err := find(t, a.Schedule)
	switch {
	case err != nil:
		return "", err
	case r.State == wire.ScheduleDeleted:
		return "", errNone
	case a.Do.Signed() && (a.Version != r.Version || a.Agent != r.Agent || a.Task != r.Task):
		return "", errChanged
	case a.Do.Signed():
		r.Deliver = wire.DeliverWebhook
	case r.Deliver == wire.DeliverWebhook:
		r.Deliver = wire.DeliverSession
	}
	r.Version++
	r.Updated = s.now()
	return r.basis(), save(t, r)
}

// settled puts the result of a tick on its way, if it goes to an address.
func (s *Schedules) settled(t txn, k tickRow) error {
	if s.d.Webhooks == nil || k.RunID == "" {
		return nil
	}
	r, err := find(t, k.Schedule)
	if err != nil || r.Deliver != wire.DeliverWebhook {
		return err
	}
	result := webhook.Result{
		Schedule: r.ID, RunID: k.RunID, Agent: r.Agent, Session: r.Session, Due: k.Due, Verdict: k.Verdict, Outcome: k.Outcome,
		Basis: k.Basis, Level: r.Level, Taint: r.Taint,
	}
	if r.basis() != k.Basis { // changed since: it goes out in the name of another agent, or after somebody thought better of it
		result.Basis = ""
	}
	switch k.Outcome {
	case wire.TickFailed:
		result.Failed = k.Reason
	case wire.TickStopped:
		result.Failed = "The run was stopped, so there is no answer."
	}
	return s.d.Webhooks.Settled(t.tx, result)
}

// unbound forgets the address of a schedule whose results do not go there anymore.
func (s *Schedules) unbound(t txn, r row, before wire.DeliverTo) error {
	gone := r.State == wire.ScheduleDeleted || before == wire.DeliverWebhook && r.Deliver != wire.DeliverWebhook
	if s.d.Webhooks == nil || !gone {
		return nil
	}
	return s.d.Webhooks.Drop(t.tx, r.ID)
}

// delivered fills in how far the results of ticks of a schedule have come.
func (s *Schedules) delivered(ctx context.Context, schedule string, ticks []wire.ScheduleTick) error {
	if s.d.Webhooks == nil {
		return nil
	}
	var dues []time.Time
	for _, k := range ticks {
		dues = append(dues, k.Due)
	}
	all, err := s.d.Webhooks.Deliveries(ctx, schedule, dues)
	if err != nil {
		return fmt.Errorf("history of schedule %s: %w", schedule, err)
	}
	for i := range ticks {
		ticks[i].Delivery = all[micros(ticks[i].Due)]
	}
	return nil
}
