package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/schedule/figure"
	"gatehouse/agentd/wire"
)

// Look is a look of a monitor at what a tool gives.
type Look struct {
	Agent, Tool, Title, Session string
	Args                        json.RawMessage
	Level                       int
	Taint                       []policy.Source
}

// Looker calls tools that only read, through the gate; the daemon has one.
type Looker interface {
	// Reads says whether a call only reads.
	Reads(tool string, args json.RawMessage) bool
	// Look makes the call. why says, in words for the owner, why there is no text; an error, that nobody knows.
	Look(ctx context.Context, l Look) (text, why string, err error)
}

// minMonitor is the shortest interval of a monitor: each look leaves receipts.
const minMonitor = 5 * time.Minute

// checkCondition checks what a monitor watches.
func (s *Schedules) checkCondition(r *row) error {
	switch {
	case r.Kind != wire.ScheduleMonitor && r.Condition != nil:
		return badRequest("Only a monitor has a condition. Nothing was saved.")
	case r.Kind != wire.ScheduleMonitor:
		return nil
	case r.Condition == nil:
		return badRequest("Say what is watched: a tool, where the number stands and what it is compared with. Nothing was saved.")
	}
	if err := figure.Check(*r.Condition); err != nil {
		return badRequest(err.Error() + " Nothing was saved.")
	}
	if redact.Text(r.Condition.Args) != r.Condition.Args {
		return badRequest("The arguments hold what looks like a password or a key. Nothing was saved.")
	}
	if !s.d.Look.Reads(r.Condition.Tool, json.RawMessage(r.Condition.Args)) {
		return badRequest("A monitor may only read, and this call does more, or does not exist. Nothing was saved.")
	}
	return nil
}

// tooOften refuses a monitor that looks more often than it may.
func tooOften(kind wire.ScheduleKind, rule due.Rule, now time.Time) error {
	first, ok := rule.Next(now)
	if !ok || kind != wire.ScheduleMonitor {
		return nil
	}
	if second, ok := rule.Next(first); ok && second.Sub(first) < minMonitor {
		return badRequest("A monitor looks every five minutes at most. Nothing was saved.")
	}
	return nil
}

// Watch has monitors look at what they watch, until ctx ends.
func (s *Schedules) Watch(ctx context.Context) error { return s.each(ctx, s.watch, s.WatchPass) }

// WatchPass has each monitor that is due look once. It says when the next one is due; the zero time when none is.
func (s *Schedules) WatchPass(ctx context.Context) (next time.Time, err error) {
	now := s.now()
	all, err := s.where(ctx, "kind = 'monitor' AND due > 0 AND start_at <= ? ORDER BY start_at, id LIMIT ?", micros(now), most)
	if err != nil {
		return next, err
	}
	for _, r := range all {
		if err := s.watchOne(ctx, r, now); err != nil {
			return next, err
		}
	}
	rows, err := s.where(ctx, "kind = 'monitor' AND due > 0 ORDER BY start_at LIMIT 1")
	if err != nil || len(rows) == 0 {
		return next, err
	}
	return rows[0].StartAt, nil
}

// seen is what a look gave.
type seen struct {
	number float64
	why    string // there is no number
}

// watchOne looks, outside of any transaction, and then keeps what came of it. A look that a crash has lost is made again: it only reads.
func (s *Schedules) watchOne(ctx context.Context, r row, now time.Time) error {
	got := seen{why: "It was paused, or its agent was not at work."}
	if r.State == wire.ScheduleActive && s.d.HasAgent(r.Agent) && !s.d.Config().Agents[r.Agent].Off {
		var err error
		if got, err = s.lookAt(ctx, r); err != nil {
			return err
		}
	}
	return s.write(ctx, func(t txn) error { return s.watched(t, r, got, now) })
}

func (s *Schedules) lookAt(ctx context.Context, r row) (seen, error) {
	args := json.RawMessage(r.Condition.Args)
	if !s.d.Look.Reads(r.Condition.Tool, args) {
		return seen{why: "The call does more than read now."}, nil
	}
	text, why, err := s.d.Look.Look(ctx, Look{
		Agent: r.Agent, Tool: r.Condition.Tool, Title: r.Title, Session: r.Session, Args: args, Level: r.Level, Taint: r.Taint,
	})
	if err != nil || why != "" {
		return seen{why: why}, err
	}
	n, err := figure.Find(*r.Condition, text)
	if err != nil {
		return seen{why: redact.Text(err.Error())}, nil
	}
	return seen{number: n}, nil
}

// watched gives the ticks that have passed their verdicts, and says what there is to say. One that was changed meanwhile is looked at
// again.
func (s *Schedules) watched(t txn, was row, got seen, now time.Time) error {
	r, err := find(t, was.ID)
	if err != nil || r.Version != was.Version || !r.Due.Equal(was.Due) || r.State != was.State {
		return err
	}
	rule, err := r.rule()
	if err != nil {
		return s.unreadable(t, r, now, err)
	}
	set, err := settings(t)
	if err != nil {
		return err
	}
	passed, more := r.passed(rule, now)
	last := passed[len(passed)-1]
	blocked, err := s.blocked(t, &r, rule, set, last)
	if err != nil {
		return err
	}
	for _, f := range fates(passed, more, now.Sub(last.Add(r.spread(last))), r.CatchUp, blocked) {
		if err := s.settleLook(t, &r, f, got, now); err != nil {
			return err
		}
	}
	r.moveOn(rule, last)
	return save(t, r)
}

// settleLook writes the verdict of a look, once, and begins the run that tells the owner where something has begun.
func (s *Schedules) settleLook(t txn, r *row, f fate, got seen, now time.Time) error {
	tick := tickRow{Schedule: r.ID, Due: f.due, Verdict: f.verdict, Reason: f.reason, At: now}
	if there, err := hasTick(t, r.ID, f.due); err != nil || there {
		return err
	}
	if !f.runs() {
		return s.keepTick(t, r, tick)
	}
	return s.keepLook(t, r, tick, got, now)
}

// keepLook writes the verdict of a look that was made.
func (s *Schedules) keepLook(t txn, r *row, tick tickRow, got seen, now time.Time) error {
	tell, reason := r.judge(got)
	tick.Reason = reason
	if got.why != "" {
		tick.Verdict = wire.TickSkipped
	}
	if tell {
		if err := s.begin(t, r, &tick, now); err != nil {
			return err
		}
	}
	return s.keepTick(t, r, tick)
}

// lookNow has a monitor look once, because a person wants it, whether or not it is paused.
func (s *Schedules) lookNow(ctx context.Context, was row) (wire.ScheduleTick, error) {
	switch {
	case was.State == wire.ScheduleDeleted:
		return wire.ScheduleTick{}, errNone
	case !s.d.HasAgent(was.Agent):
		return wire.ScheduleTick{}, conflict("Its agent is not in the team anymore. Nothing was started.")
	case s.d.Config().Agents[was.Agent].Off:
		return wire.ScheduleTick{}, conflict("Its agent is switched off. Nothing was started.")
	}
	got, err := s.lookAt(ctx, was)
	if err != nil {
		return wire.ScheduleTick{}, err
	}
	var out wire.ScheduleTick
	now := s.now()
	err = s.write(ctx, func(t txn) error {
		r, err := find(t, was.ID)
		if err != nil {
			return err
		}
		if r.Version != was.Version {
			return conflict("It was changed while it looked. Nothing was started.")
		}
		if there, err := hasTick(t, r.ID, now); err != nil || there {
			return errors.Join(err, conflict("It runs at this moment."))
		}
		if err := s.keepLook(t, &r, tickRow{Schedule: r.ID, Due: now, Verdict: wire.TickRan, At: now, Asked: true}, got, now); err != nil {
			return err
		}
		k, err := lastTick(t.db.QueryRow(t.tx, "SELECT "+tickColumns+" FROM schedule_ticks WHERE schedule = ? AND due = ?", r.ID,
			micros(now)))
		if err != nil {
			return err
		}
		out = *k
		return save(t, r)
	})
	return out, err
}

// judge takes over what a look gave. The owner is told once when the condition begins to hold, and again only after it did not; and once
// when there was no number several times in a row.
func (r *row) judge(got seen) (tell bool, reason string) {
	if got.why != "" {
		r.Blind++
		reason = "It could not look: " + got.why
		if r.Blind == wire.MaxMonitorBlind {
			return true, fmt.Sprintf("It could not look %d times in a row, so nobody watches this: %s", r.Blind, got.why)
		}
		return false, reason
	}
	held, says := r.Holds, figure.Says(*r.Condition, got.number)
	r.Blind, r.Holds = 0, figure.Holds(*r.Condition, got.number)
	switch {
	case r.Holds && held:
		return false, "It is " + strings.Replace(says, "which is", "which still is", 1) + ". You were told before."
	case r.Holds:
		return true, "It is " + says + "."
	}
	return false, "It is " + says + "."
}
