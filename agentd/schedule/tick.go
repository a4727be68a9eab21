package schedule

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/wire"
)

// tickRow is a tick as it stands in the table.
type tickRow struct {
	Seq                     int64
	Schedule, Reason, RunID string
	Verdict                 wire.TickVerdict
	Outcome                 wire.TickOutcome
	Try                     int
	Due, RetryAt, At        time.Time
	Asked, Dismissed        bool
	Basis                   string // of the schedule when the run began
}

const tickColumns = "seq, schedule, due, verdict, reason, run_id, try, outcome, retry_at, at, asked, dismissed, basis"

func scanTick(from scanner) (k tickRow, err error) {
	var dueAt, retry, at int64
	err = from.Scan(&k.Seq, &k.Schedule, &dueAt, &k.Verdict, &k.Reason, &k.RunID, &k.Try, &k.Outcome, &retry, &at, &k.Asked, &k.Dismissed,
		&k.Basis)
	k.Due, k.RetryAt, k.At = fromMicros(dueAt), fromMicros(retry), fromMicros(at)
	return k, err
}

func (k tickRow) wire() wire.ScheduleTick {
	return wire.ScheduleTick{
		Schedule: k.Schedule, Due: k.Due, Verdict: k.Verdict, Reason: k.Reason, RunID: k.RunID, Try: k.Try, Outcome: k.Outcome,
		RetryAt: k.RetryAt, At: k.At, Asked: k.Asked,
	}
}

func hasTick(t txn, schedule string, at time.Time) (bool, error) {
	var there bool
	err := t.db.QueryRow(t.tx, "SELECT EXISTS (SELECT 1 FROM schedule_ticks WHERE schedule = ? AND due = ?)", schedule,
		micros(at)).Scan(&there)
	if err != nil {
		return false, fmt.Errorf("read ticks: %w", err)
	}
	return there, nil
}

// keepTick writes a verdict, as a row and a receipt.
func (s *Schedules) keepTick(t txn, r *row, k tickRow) error {
	_, err := t.exec(`INSERT INTO schedule_ticks (schedule, due, verdict, reason, run_id, try, outcome, retry_at, at, asked, dismissed,
		basis) VALUES (?,?,?,?,?,?,?,?,?,?,0,?)`,
		k.Schedule, micros(k.Due), k.Verdict, k.Reason, k.RunID, k.Try, k.Outcome, micros(k.RetryAt), micros(k.At), k.Asked, k.Basis)
	if err != nil {
		return err
	}
	return s.receipt(t, "schedule.tick", k.RunID, map[string]any{
		"schedule": r.ID, "agent": r.Agent, "due": k.Due.Format(time.RFC3339), "verdict": k.Verdict, "reason": k.Reason,
	})
}

// saveTick stores how the run of a tick stands.
func saveTick(t txn, k tickRow) error {
	_, err := t.exec("UPDATE schedule_ticks SET reason = ?, run_id = ?, try = ?, outcome = ?, retry_at = ?, basis = ? WHERE seq = ?",
		k.Reason, k.RunID, k.Try, k.Outcome, micros(k.RetryAt), k.Basis, k.Seq)
	return err
}

// settleAll looks after the runs that were begun: it notes their end, plans another try, and begins it.
func (s *Schedules) settleAll(t txn, now time.Time) error {
	all, err := idList[int64](t, "SELECT json_group_array(seq) FROM schedule_ticks WHERE outcome IN ('open', 'retried')")
	if err != nil {
		return err
	}
	for _, seq := range all {
		k, err := scanTick(t.db.QueryRow(t.tx, "SELECT "+tickColumns+" FROM schedule_ticks WHERE seq = ?", seq))
		if err != nil {
			return fmt.Errorf("read ticks: %w", err)
		}
		if err := s.settle(t, k, now); err != nil {
			return err
		}
	}
	return nil
}

// RunEnded notes the end of a run in the transaction that writes it, so that nobody who hears of the end finds the schedule behind it.
// What a crash leaves open, Pass settles.
func (s *Schedules) RunEnded(tx *sql.Tx, run string) error {
	t := txn{tx, s.d.DB}
	k, err := scanTick(t.db.QueryRow(tx, "SELECT "+tickColumns+" FROM schedule_ticks WHERE run_id = ? AND run_id <> ''", run))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read ticks: %w", err)
	}
	if k.Outcome != wire.TickOpen {
		return nil
	}
	return s.settle(t, k, s.now())
}

func (s *Schedules) settle(t txn, k tickRow, now time.Time) error {
	if k.Outcome == wire.TickRetried {
		if k.RetryAt.After(now) {
			return nil
		}
		return s.retry(t, k, now)
	}
	o, err := s.d.Runs.Outcome(t.tx, k.RunID)
	if err != nil || o.State.Open() {
		return err
	}
	switch d, again := due.Retry(k.Try); {
	case o.State == wire.RunDone:
		k.Outcome = wire.TickDone
	case o.State == wire.RunStopped:
		k.Outcome = wire.TickStopped
	case o.State == "":
		k.Outcome, k.Reason = wire.TickStopped, "Its conversation was deleted."
	case o.Paused:
		k.Outcome, k.Reason = wire.TickPaused, "Its run ended, because the team is paused: nothing counts as failed."
	case o.Changed:
		k.Outcome, k.Reason = wire.TickFailed, "Its run failed after it had changed something, so it was not repeated: "+o.Why
	case again:
		k.Outcome, k.RetryAt, k.Reason = wire.TickRetried, now.Add(d), "Its run failed: "+o.Why
	default:
		k.Outcome, k.Reason = wire.TickFailed, fmt.Sprintf("Its run failed, %d times in all: %s", k.Try, o.Why)
	}
	return s.keepOutcome(t, k, now)
}

// keepOutcome stores how a run ended, and counts failures.
func (s *Schedules) keepOutcome(t txn, k tickRow, now time.Time) error {
	if err := saveTick(t, k); err != nil {
		return err
	}
	err := s.receipt(t, "schedule.outcome", k.RunID, map[string]any{
		"schedule": k.Schedule, "due": k.Due.Format(time.RFC3339), "try": k.Try, "outcome": k.Outcome,
	})
	if err == nil && (k.Outcome == wire.TickDone || k.Outcome == wire.TickFailed || k.Outcome == wire.TickStopped) {
		err = s.settled(t, k)
	}
	switch {
	case err != nil:
		return err
	case k.Outcome == wire.TickFailed:
		return errors.Join(s.countFailure(t, k.Schedule, now), s.tellFailed(t, k))
	case k.Outcome == wire.TickDone:
		_, err = t.exec("UPDATE schedules SET failures = 0 WHERE id = ? AND failures > 0", k.Schedule)
	}
	return err
}

// countFailure counts a tick that failed for good. A schedule that has failed too often in a row is paused.
func (s *Schedules) countFailure(t txn, id string, now time.Time) error {
	r, err := find(t, id)
	if err != nil {
		return err
	}
	r.Failures++
	if r.Failures < wire.MaxScheduleFailures || r.State != wire.ScheduleActive {
		return save(t, r)
	}
	r.State, r.Why, r.Updated = wire.SchedulePaused, wire.PausedFailing, now
	if err := save(t, r); err != nil {
		return err
	}
	return s.receipt(t, "schedule.paused", "", map[string]any{"schedule": r.ID, "why": r.Why})
}

// retry begins the next try of a tick.
func (s *Schedules) retry(t txn, k tickRow, now time.Time) error {
	r, err := find(t, k.Schedule)
	if err != nil {
		return err
	}
	if r.State == wire.ScheduleDeleted || !s.d.HasAgent(r.Agent) {
		k.Outcome, k.RetryAt = wire.TickFailed, time.Time{}
		return s.keepOutcome(t, k, now)
	}
	verdict, reason := k.Verdict, k.Reason
	if err := s.begin(t, &r, &k, now); err != nil {
		return err
	}
	k.RetryAt = time.Time{}
	if k.Outcome != wire.TickOpen { // there can be no run anymore
		k.Outcome, k.Verdict, k.Reason = wire.TickFailed, verdict, reason
		return s.keepOutcome(t, k, now)
	}
	if err := errors.Join(saveTick(t, k), save(t, r)); err != nil {
		return err
	}
	return s.receipt(t, "schedule.retry", k.RunID, map[string]any{"schedule": r.ID, "due": k.Due.Format(time.RFC3339), "try": k.Try})
}

// dropRetries gives up what waits for another try: the next tick has come.
func (s *Schedules) dropRetries(t txn, schedule string) error {
	all, err := idList[int64](t, `SELECT json_group_array(seq) FROM schedule_ticks
		WHERE schedule = ? AND outcome IN ('open', 'retried') AND outcome = 'retried'`, schedule)
	if err != nil {
		return err
	}
	for _, seq := range all {
		k, err := scanTick(t.db.QueryRow(t.tx, "SELECT "+tickColumns+" FROM schedule_ticks WHERE seq = ?", seq))
		if err != nil {
			return fmt.Errorf("read ticks: %w", err)
		}
		k.Outcome, k.RetryAt = wire.TickFailed, time.Time{}
		if err := errors.Join(saveTick(t, k), s.settled(t, k), s.tellFailed(t, k)); err != nil {
			return err
		}
	}
	return nil
}

// tellFailed says that a tick has failed for good.
func (s *Schedules) tellFailed(t txn, k tickRow) error {
	if s.d.Failed == nil {
		return nil
	}
	r, err := find(t, k.Schedule)
	if err != nil {
		return err
	}
	return s.d.Failed(t.tx, Failure{
		Seq: k.Seq, Schedule: r.ID, Title: r.Title, Agent: r.Agent, Task: r.Task, Reason: k.Reason, Run: k.RunID, From: r.Origin,
		Taint: r.Taint,
	})
}

// lastTick is the newest verdict of a schedule; nil when there is none.
func lastTick(row scanner) (*wire.ScheduleTick, error) {
	k, err := scanTick(row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read ticks: %w", err)
	}
	w := k.wire()
	return &w, nil
}
