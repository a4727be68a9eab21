package schedule

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/wire"
)

// most is how many schedules one transaction takes.
const most = 200

// Pass gives each tick that has passed its verdict, starts runs, and looks after those that were started. It says when there is
// something to do next; the zero time when nothing is planned.
func (s *Schedules) Pass(ctx context.Context) (next time.Time, err error) {
	for {
		now := s.now()
		if idle, err := s.idle(ctx, now); err != nil || idle {
			return s.nextWake(ctx, err)
		}
		failpoint.Hit("schedule due")
		var more bool
		err := s.write(ctx, func(t txn) (err error) {
			more, err = s.passIn(t, now)
			return err
		})
		failpoint.Hit("schedule told")
		if err != nil || !more {
			return s.nextWake(ctx, err)
		}
	}
}

// idle says whether there is nothing to do.
func (s *Schedules) idle(ctx context.Context, now time.Time) (bool, error) {
	var busy bool
	err := s.d.DB.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM schedules
		WHERE due > 0 AND start_at <= ?1 AND kind <> 'monitor')
		OR EXISTS (SELECT 1 FROM schedule_ticks WHERE outcome IN ('open', 'retried'))`, micros(now)).Scan(&busy)
	if err != nil {
		return false, fmt.Errorf("read schedules: %w", err)
	}
	return !busy, nil
}

func (s *Schedules) nextWake(ctx context.Context, err error) (time.Time, error) {
	if err != nil {
		return time.Time{}, err
	}
	var at sql.NullInt64
	// Both conditions on outcome: the first is that of the index, without which all of the history would be read.
	err = s.d.DB.Read().QueryRowContext(ctx, `SELECT min(at) FROM (SELECT min(start_at) AS at FROM schedules
		WHERE due > 0 AND kind <> 'monitor'
		UNION ALL SELECT min(retry_at) FROM schedule_ticks WHERE outcome IN ('open', 'retried') AND outcome = 'retried')`).Scan(&at)
	if err != nil {
		return time.Time{}, fmt.Errorf("read schedules: %w", err)
	}
	return fromMicros(at.Int64), nil
}

// passIn is Pass in one transaction; more says that there is more to do at once.
func (s *Schedules) passIn(t txn, now time.Time) (more bool, err error) {
	if err := s.settleAll(t, now); err != nil {
		return false, err
	}
	set, err := settings(t)
	if err != nil {
		return false, err
	}
	ids, err := dueIDs(t, now)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		again, err := s.tick(t, set, id, now)
		if err != nil {
			return false, err
		}
		more = more || again
	}
	return more || len(ids) == most, nil
}

// dueIDs are the schedules whose time has come.
func dueIDs(t txn, now time.Time) (ids []string, err error) {
	return idList[string](t, `SELECT json_group_array(id) FROM
		(SELECT id FROM schedules WHERE due > 0 AND start_at <= ?1 AND kind <> 'monitor' ORDER BY start_at, id LIMIT ?2)`,
		micros(now), most)
}

// idList reads a list that comes as one JSON array: queries with one row are prepared once.
func idList[T any](t txn, query string, args ...any) (ids []T, err error) {
	var list string
	if err := t.db.QueryRow(t.tx, query, args...).Scan(&list); err != nil {
		return nil, fmt.Errorf("read schedules: %w", err)
	}
	return ids, json.Unmarshal([]byte(list), &ids)
}

// tick gives the ticks of a schedule that have passed their verdicts, and moves it on.
func (s *Schedules) tick(t txn, set wire.ScheduleSettings, id string, now time.Time) (more bool, err error) {
	r, err := find(t, id)
	if err != nil {
		return false, err
	}
	rule, err := r.rule()
	if err != nil {
		return false, s.unreadable(t, r, now, err)
	}
	passed, more := r.passed(rule, now)
	last := passed[len(passed)-1]
	blocked, err := s.blocked(t, &r, rule, set, last)
	if err != nil {
		return false, err
	}
	for _, f := range fates(passed, more, now.Sub(last.Add(r.spread(last))), r.CatchUp, blocked) {
		if err := s.settleTick(t, &r, f, now); err != nil {
			return false, err
		}
	}
	r.moveOn(rule, last)
	return more, save(t, r)
}

// passed lists the ticks from Due on whose time has come, oldest first, and whether there are more than are listed. The first is
// due, for that is why the schedule is looked at.
func (r row) passed(rule due.Rule, now time.Time) (ticks []time.Time, more bool) {
	ticks = append(ticks, r.Due)
	for next, ok := rule.Next(r.Due); ok && !next.Add(r.spread(next)).After(now); next, ok = rule.Next(next) {
		if len(ticks) == atOnce {
			return ticks, true
		}
		ticks = append(ticks, next.UTC())
	}
	return ticks, false
}

// unreadable pauses a schedule whose times cannot be read anymore, instead of stumbling over it again and again.
func (s *Schedules) unreadable(t txn, r row, now time.Time, why error) error {
	s.d.Log.Error("schedule cannot be read", "schedule", r.ID, "error", why)
	f := fate{r.Due, wire.TickSkipped, "Its times cannot be read on this server anymore, so it is paused."}
	if err := s.settleTick(t, &r, f, now); err != nil {
		return err
	}
	r.State, r.Why, r.Due, r.StartAt = wire.SchedulePaused, wire.PausedFailing, time.Time{}, time.Time{}
	return save(t, r)
}

// blocked says why a tick may not run; empty when it may. A schedule whose agent is gone is paused.
func (s *Schedules) blocked(t txn, r *row, rule due.Rule, set wire.ScheduleSettings, tick time.Time) (string, error) {
	cfg := s.d.Config()
	if !s.d.HasAgent(r.Agent) && r.State == wire.ScheduleActive {
		r.State, r.Why = wire.SchedulePaused, wire.PausedNoAgent
		return "Its agent is not in the team anymore, so it is paused.", s.receipt(t, "schedule.paused", "", map[string]any{
			"schedule": r.ID, "why": r.Why,
		})
	}
	asks := r.Kind != wire.ScheduleReminder && r.Kind != wire.ScheduleMonitor
	switch {
	case set.Paused:
		return "All schedules are paused.", nil
	case r.State == wire.SchedulePaused:
		return "It is paused.", nil
	case cfg.Agents[r.Agent].Off:
		return "Its agent is switched off.", nil
	case asks && cfg.Spend.Paused != "":
		return "The team rests.", nil
	case asks && s.d.Paused(r.Agent) != nil:
		return s.d.Paused(r.Agent).Words(), nil
	case rule.Interval() && quiet(set).Holds(tick, rule.Zone()):
		return "It was due in the quiet hours.", nil
	}
	return s.stillAtWork(t, r.ID)
}

// stillAtWork says that a run of the schedule has not ended.
func (s *Schedules) stillAtWork(t txn, id string) (string, error) {
	var run string
	err := t.db.QueryRow(t.tx, "SELECT run_id FROM schedule_ticks WHERE schedule = ? AND outcome IN ('open', 'retried') AND outcome "+
		"= 'open' LIMIT 1", id).Scan(&run)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read ticks: %w", err)
	}
	o, err := s.d.Runs.Outcome(t.tx, run)
	if err == nil && o.Parked {
		return "Its run before waits for your decision.", nil
	}
	return "Its run before was still at work.", err
}

// settleTick writes the verdict of a tick, once, and begins its run.
func (s *Schedules) settleTick(t txn, r *row, f fate, now time.Time) error {
	tick := tickRow{Schedule: r.ID, Due: f.due, Verdict: f.verdict, Reason: f.reason, At: now}
	if there, err := hasTick(t, r.ID, f.due); err != nil || there {
		return err
	}
	if f.runs() {
		if err := s.dropRetries(t, r.ID); err != nil {
			return err
		}
		if err := s.begin(t, r, &tick, now); err != nil {
			return err
		}
	}
	return s.keepTick(t, r, tick)
}

// begin starts the run of a tick. When it cannot stand in its conversation, it gets one of its own.
func (s *Schedules) begin(t txn, r *row, tick *tickRow, now time.Time) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("run id: %w", err)
	}
	return s.beginAs(t, r, tick, id.String(), now)
}

func (s *Schedules) beginAs(t txn, r *row, tick *tickRow, runID string, now time.Time) error {
	start := Start{
		RunID: runID, Session: r.Session, Agent: r.Agent, Title: r.Title, Task: r.Task, Level: r.Level, Taint: r.Taint,
		Fresh: true, Archived: r.Deliver == wire.DeliverNone, From: r.Origin, At: now,
	}
	switch r.Kind {
	case wire.ScheduleReminder:
		start.Fresh, start.Say = false, reminder(r.Task)
	case wire.ScheduleMonitor:
		start.Fresh, start.Say = false, r.Task+"\n\n"+tick.Reason
	}
	err := s.d.Runs.Begin(t.tx, start)
	var gone *wire.RPCError
	if errors.As(err, &gone) {
		fresh, idErr := uuid.NewV7()
		if idErr != nil {
			return fmt.Errorf("conversation id: %w", idErr)
		}
		r.Session = fresh.String()
		start.Session = r.Session
		err = s.d.Runs.Begin(t.tx, start)
	}
	if errors.As(err, &gone) {
		tick.Verdict, tick.Reason = wire.TickSkipped, gone.Text
		return nil
	}
	if err != nil {
		return fmt.Errorf("begin run: %w", err)
	}
	tick.RunID, tick.Outcome, tick.Basis = runID, wire.TickOpen, r.basis()
	tick.Try++
	failpoint.Hit("schedule begun")
	return nil
}

// reminder is what a reminder says.
func reminder(task string) string { return "Reminder: " + task }
