package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
)

// act changes the state of a schedule, and puts it on record.
func (s *Schedules) act(ctx context.Context, id, kind string, by wire.Origin, run string, fn func(t txn,
	r *row) error,
) (wire.Schedule, error) {
	err := s.write(ctx, func(t txn) error {
		r, err := find(t, id)
		if err != nil {
			return err
		}
		if r.State == wire.ScheduleDeleted && kind != "schedule.deleted" {
			return errNone
		}
		before := r.State
		if err := fn(t, &r); err != nil {
			return err
		}
		if r.State == before && kind != "schedule.dismissed" {
			return nil // a repeat
		}
		r.Updated = s.now()
		if err := save(t, r); err != nil {
			return err
		}
		return s.receipt(t, kind, run, map[string]any{"schedule": r.ID, "why": r.Why, "next": stampOf(r.Due), "by": by})
	})
	if err != nil {
		return wire.Schedule{}, err
	}
	s.Wake()
	return s.Get(ctx, wire.ScheduleParams{ID: id})
}

func (s *Schedules) pause(ctx context.Context, a wire.ScheduleAct) (wire.Schedule, error) {
	return s.Pause(ctx, a, wire.PausedByOwner, "")
}

// Pause has each tick skipped from now on.
func (s *Schedules) Pause(ctx context.Context, a wire.ScheduleAct, why, run string) (wire.Schedule, error) {
	return s.act(ctx, a.ID, "schedule.paused", a.By, run, func(_ txn, r *row) error {
		if r.State == wire.ScheduleDone {
			return conflict("It is done, so there is nothing to pause.")
		}
		if r.State == wire.ScheduleActive {
			r.State, r.Why = wire.SchedulePaused, why
		}
		return nil
	})
}

func (s *Schedules) resume(ctx context.Context, a wire.ScheduleAct) (wire.Schedule, error) {
	return s.Resume(ctx, a, "")
}

// Resume goes on with the ticks that are still to come.
func (s *Schedules) Resume(ctx context.Context, a wire.ScheduleAct, run string) (wire.Schedule, error) {
	return s.act(ctx, a.ID, "schedule.resumed", a.By, run, func(_ txn, r *row) error {
		if r.State != wire.SchedulePaused {
			return nil
		}
		if !s.d.HasAgent(r.Agent) {
			return conflict("Its agent is not in the team anymore. Give it to another agent first.")
		}
		rule, err := r.rule()
		if err != nil {
			return err
		}
		r.State, r.Why, r.Failures = wire.ScheduleActive, "", 0
		if r.Due.IsZero() {
			r.moveOn(rule, s.now())
		}
		return nil
	})
}

func (s *Schedules) delete(ctx context.Context, a wire.ScheduleAct) (wire.Schedule, error) {
	return s.Delete(ctx, a, "")
}

// Delete ends a schedule. A run of it that is at work goes on.
func (s *Schedules) Delete(ctx context.Context, a wire.ScheduleAct, run string) (wire.Schedule, error) {
	return s.act(ctx, a.ID, "schedule.deleted", a.By, run, func(t txn, r *row) error {
		r.State, r.Why, r.Due, r.StartAt = wire.ScheduleDeleted, "", time.Time{}, time.Time{}
		return s.unbound(t, *r, r.Deliver)
	})
}

// dismiss takes what failed off the list.
func (s *Schedules) dismiss(ctx context.Context, a wire.ScheduleAct) (wire.Schedule, error) {
	return s.act(ctx, a.ID, "schedule.dismissed", a.By, "", func(t txn, r *row) error {
		_, err := t.exec("UPDATE schedule_ticks SET dismissed = 1 WHERE schedule = ? AND outcome = 'failed'", r.ID)
		return err
	})
}

// runNow runs a schedule once, whether or not it is paused.
func (s *Schedules) runNow(ctx context.Context, a wire.ScheduleRun) (wire.ScheduleTick, error) {
	if _, err := uuid.Parse(a.RunID); err != nil {
		return wire.ScheduleTick{}, badRequest("The run has no valid ID. Nothing was started.")
	}
	if rows, err := s.where(ctx, "id = ? AND kind = 'monitor'", a.ID); err != nil || len(rows) > 0 {
		if err != nil {
			return wire.ScheduleTick{}, err
		}
		return s.lookNow(ctx, rows[0])
	}
	var out wire.ScheduleTick
	err := s.write(ctx, func(t txn) error {
		known, err := lastTick(t.db.QueryRow(t.tx, "SELECT "+tickColumns+" FROM schedule_ticks WHERE run_id = ?", a.RunID))
		if err != nil {
			return err
		}
		if known != nil {
			out = *known
			return nil
		}
		out, err = s.runOnce(t, a)
		return err
	})
	s.Wake()
	return out, err
}

func (s *Schedules) runOnce(t txn, a wire.ScheduleRun) (wire.ScheduleTick, error) {
	r, err := find(t, a.ID)
	if err != nil {
		return wire.ScheduleTick{}, err
	}
	busy, err := s.stillAtWork(t, r.ID)
	switch {
	case err != nil:
		return wire.ScheduleTick{}, err
	case r.State == wire.ScheduleDeleted:
		return wire.ScheduleTick{}, errNone
	case !s.d.HasAgent(r.Agent):
		return wire.ScheduleTick{}, conflict("Its agent is not in the team anymore. Nothing was started.")
	case s.d.Config().Agents[r.Agent].Off:
		return wire.ScheduleTick{}, conflict("Its agent is switched off. Nothing was started.")
	case busy != "":
		return wire.ScheduleTick{}, conflict(busy + " Nothing was started.")
	}
	now := s.now()
	tick := tickRow{Schedule: r.ID, Due: now, Verdict: wire.TickRan, Reason: "You had it run.", At: now, Asked: true}
	if there, err := hasTick(t, r.ID, now); err != nil || there {
		return wire.ScheduleTick{}, errors.Join(err, conflict("It runs at this moment."))
	}
	if err := errors.Join(s.dropRetries(t, r.ID), s.beginAs(t, &r, &tick, a.RunID, now)); err != nil {
		return wire.ScheduleTick{}, err
	}
	if tick.Outcome != wire.TickOpen {
		return wire.ScheduleTick{}, conflict(tick.Reason + " Nothing was started.")
	}
	return tick.wire(), errors.Join(s.keepTick(t, &r, tick), save(t, r))
}

// How long what is over is kept.
const (
	keepDeleted = 30 * 24 * time.Hour
	keepTicks   = 400 * 24 * time.Hour
)

// Tidy pauses the schedules whose agent is gone, and drops what is over for long.
func (s *Schedules) Tidy(ctx context.Context) error {
	active, err := s.where(ctx, "state = 'active'")
	if err != nil {
		return err
	}
	for _, r := range active {
		if s.d.HasAgent(r.Agent) {
			continue
		}
		if _, err := s.Pause(ctx, wire.ScheduleAct{ID: r.ID}, wire.PausedNoAgent, ""); err != nil {
			return fmt.Errorf("pause schedule %s: %w", r.ID, err)
		}
	}
	now := s.now()
	return s.write(ctx, func(t txn) error {
		_, err := t.exec(`DELETE FROM schedule_ticks WHERE at < ?1 AND outcome NOT IN ('open', 'retried')
			OR schedule IN (SELECT id FROM schedules WHERE state = 'deleted' AND updated_at < ?2)`,
			micros(now.Add(-keepTicks)), micros(now.Add(-keepDeleted)))
		if err != nil {
			return err
		}
		_, err = t.exec("DELETE FROM schedules WHERE state = 'deleted' AND updated_at < ?", micros(now.Add(-keepDeleted)))
		return err
	})
}
