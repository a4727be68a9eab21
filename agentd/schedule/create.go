package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/wire"
)

// Behind is what stands behind the making of a schedule by an agent. The zero value: a person made it.
type Behind struct {
	CallID  string // of the call that makes it: a repeat makes no second one
	RunID   string
	Session string // the conversation in which it was asked for
	Level   int    // the lowest of the chain that makes it
	Taint   []policy.Source
}

// create makes a schedule for a person.
func (s *Schedules) create(ctx context.Context, c wire.ScheduleCreate) (wire.Schedule, error) {
	return s.Create(ctx, c, Behind{})
}

// Create makes a schedule, durably, and gives it with its next time. Its errors that a person may read are *wire.RPCError.
func (s *Schedules) Create(ctx context.Context, c wire.ScheduleCreate, by Behind) (wire.Schedule, error) {
	if _, err := uuid.Parse(c.ID); err != nil {
		return wire.Schedule{}, badRequest("The schedule has no valid ID. Nothing was saved.")
	}
	r, rule, err := s.planned(c, by)
	if err != nil {
		known, knownErr := s.made(ctx, c.ID, by.CallID)
		if knownErr == nil {
			return known, nil // a repeat, and its time has passed meanwhile
		}
		return wire.Schedule{}, err
	}
	id := r.ID
	err = s.write(ctx, func(t txn) error {
		if id, err = knownID(t, r.ID, r.CallID); err != nil || id != "" {
			return err
		}
		id = r.ID
		if err := room(t); err != nil {
			return err
		}
		if err := insert(t, r); err != nil {
			return err
		}
		return s.receipt(t, "schedule.created", r.RunID, map[string]any{
			"schedule": r.ID, "agent": r.Agent, "kind": r.Kind, "spec": r.Spec, "time_zone": r.Zone, "next": r.Due.Format(time.RFC3339),
			"says": rule.Says(), "level": r.Level, "taint": r.Taint, "by": r.Origin, "deliver": r.Deliver,
		})
	})
	if err != nil {
		return wire.Schedule{}, err
	}
	s.Wake()
	return s.Get(ctx, wire.ScheduleParams{ID: id})
}

// made finds the schedule that an earlier request with this id or call has made.
func (s *Schedules) made(ctx context.Context, id, call string) (wire.Schedule, error) {
	rows, err := s.where(ctx, "id = ? OR call_id = ? AND call_id <> ''", id, call)
	if err != nil || len(rows) == 0 {
		return wire.Schedule{}, cmp.Or(err, error(errNone))
	}
	return s.Get(ctx, wire.ScheduleParams{ID: rows[0].ID})
}

// knownID is the id of the schedule that was made with this id or call; empty when there is none.
func knownID(t txn, id, call string) (string, error) {
	var known string
	err := t.db.QueryRow(t.tx, "SELECT coalesce(max(id), '') FROM schedules WHERE id = ? OR call_id = ? AND call_id <> ''", id,
		call).Scan(&known)
	if err != nil {
		return "", fmt.Errorf("read schedules: %w", err)
	}
	return known, nil
}

// room refuses a schedule beyond the limit.
func room(t txn) error {
	var n int
	if err := t.db.QueryRow(t.tx, "SELECT count(*) FROM schedules WHERE state IN ('active', 'paused')").Scan(&n); err != nil {
		return fmt.Errorf("read schedules: %w", err)
	}
	if n >= wire.MaxSchedules {
		return conflict(fmt.Sprintf("There are %d schedules already, which is the most. Delete one first. Nothing was saved.", n))
	}
	return nil
}

// planned is the schedule that was asked for, ready to be kept.
func (s *Schedules) planned(c wire.ScheduleCreate, by Behind) (row, due.Rule, error) {
	now := s.now()
	r := row{
		ID: c.ID, Agent: c.Agent, Kind: c.Kind, Zone: c.TimeZone, Title: c.Title, Task: c.Task, CatchUp: cmp.Or(c.CatchUp,
			wire.CatchUpOnce),
		Deliver: cmp.Or(c.Deliver.To, wire.DeliverSession), State: wire.ScheduleActive, Origin: c.By, RunID: by.RunID, CallID: by.CallID,
		Taint: by.Taint, Level: s.level(c.Agent), Session: c.ID, Version: 1, Created: now, Updated: now,
	}
	if by.Level > 0 {
		r.Level = min(r.Level, by.Level)
	}
	if (r.Kind == wire.ScheduleReminder || r.Kind == wire.ScheduleMonitor) && by.Session != "" {
		r.Session = by.Session
	}
	r.Condition = c.Condition
	rule, err := s.plan(&r, c.Spec, now)
	return r, rule, err
}

// level is the autonomy level of an agent as it is now.
func (s *Schedules) level(agent string) int {
	cfg := s.d.Config()
	return cmp.Or(cfg.Agents[agent].Level, cfg.DefaultLevel)
}

// plan checks what was set, and reads the spec: when the schedule is due from now on.
func (s *Schedules) plan(r *row, spec string, now time.Time) (due.Rule, error) {
	if err := s.checkFields(r); err != nil {
		return due.Rule{}, err
	}
	zone, err := s.zone(r.Zone)
	if err != nil {
		return due.Rule{}, err
	}
	rule, ask, err := readSpec(r.Kind, spec, zone, now)
	switch {
	case err != nil:
		return rule, err
	case ask.Ask != "":
		return rule, conflict(ask.Ask + " Nothing was saved.")
	}
	if err := tooOften(r.Kind, rule, now); err != nil {
		return rule, err
	}
	r.Kind, r.Spec, r.Zone, r.Anchor = kindOf(r.Kind, rule), rule.Spec(), zone.String(), now.Truncate(time.Second)
	if r.moveOn(rule, now); r.Due.IsZero() {
		return rule, badRequest("That time has passed. Nothing was saved.")
	}
	if r.State == wire.ScheduleDone {
		r.State = wire.ScheduleActive
	}
	return rule, nil
}

var kinds = map[wire.ScheduleKind]bool{
	"": true, wire.ScheduleAt: true, wire.ScheduleEvery: true, wire.ScheduleCron: true, wire.ScheduleReminder: true,
	wire.ScheduleHeartbeat: true, wire.ScheduleMonitor: true,
}

// checkFields checks everything but the spec, and puts it into the form in which it is kept.
func (s *Schedules) checkFields(r *row) error {
	r.Task, r.Title = redact.Text(strings.TrimSpace(r.Task)), redact.Text(strings.Join(strings.Fields(r.Title), " "))
	first, _, _ := strings.Cut(r.Task, "\n")
	r.Title = cmp.Or(r.Title, cut(first, wire.MaxScheduleTitle))
	switch {
	case !s.d.HasAgent(r.Agent):
		return badRequest(fmt.Sprintf("This server has no agent %q. Nothing was saved.", r.Agent))
	case !kinds[r.Kind]:
		return badRequest(fmt.Sprintf("There is no kind of schedule %q. Nothing was saved.", r.Kind))
	case r.Task == "" || !utf8.ValidString(r.Task) || utf8.RuneCountInString(r.Task) > wire.MaxScheduleTask:
		return badRequest(fmt.Sprintf("Say what is to be done, in at most %d characters. Nothing was saved.", wire.MaxScheduleTask))
	case strings.HasPrefix(r.Task, "/"):
		return badRequest("A task cannot begin with a slash: commands are for conversations. Nothing was saved.")
	case !utf8.ValidString(r.Title) || utf8.RuneCountInString(r.Title) > wire.MaxScheduleTitle:
		return badRequest(fmt.Sprintf("The name may have at most %d characters. Nothing was saved.", wire.MaxScheduleTitle))
	case r.CatchUp != wire.CatchUpOnce && r.CatchUp != wire.CatchUpSkip:
		return badRequest("What passed while the server was off is either run once or skipped. Nothing was saved.")
	}
	if err := s.checkCondition(r); err != nil {
		return err
	}
	return s.checkDeliver(r.Deliver)
}

func (s *Schedules) checkDeliver(to wire.DeliverTo) error {
	switch {
	case to == wire.DeliverSession, to == wire.DeliverNone:
		return nil
	case to == wire.DeliverWebhook && s.d.Webhooks != nil: // nothing goes out before the owner has signed for an address
		return nil
	}
	switch to {
	case wire.DeliverChannel:
		return badRequest("No channel is connected to this server, so results cannot go there. Choose “session” or “none”. Nothing " +
			"was saved.")
	case wire.DeliverWebhook:
		return errNoWebhooks
	}
	return badRequest(fmt.Sprintf("Results cannot go to %q. Choose “session”, “webhook” or “none”. Nothing was saved.", to))
}

// cut shortens a text to n characters.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return text
}

var errChanged = conflict("The schedule was changed meanwhile. Nothing was saved; look at it again.")

// Edit changes what is set. Of a change by an agent, the schedule takes over what stands behind it: it only ever gets stricter.
func (s *Schedules) Edit(ctx context.Context, e wire.ScheduleEdit, by Behind) (wire.Schedule, error) {
	err := s.write(ctx, func(t txn) error {
		r, err := find(t, e.ID)
		if err != nil {
			return err
		}
		if r.State == wire.ScheduleDeleted {
			return errNone
		}
		if e.Version != 0 && e.Version != r.Version {
			return errChanged
		}
		before := r.Deliver
		if err := s.apply(&r, e, by); err != nil {
			return err
		}
		if err := errors.Join(save(t, r), s.unbound(t, r, before)); err != nil {
			return err
		}
		return s.receipt(t, "schedule.changed", by.RunID, map[string]any{
			"schedule": r.ID, "agent": r.Agent, "kind": r.Kind, "spec": r.Spec, "time_zone": r.Zone, "next": stampOf(r.Due),
			"level": r.Level,
			"taint": r.Taint, "by": e.By, "deliver": r.Deliver,
		})
	})
	if err != nil {
		return wire.Schedule{}, err
	}
	s.Wake()
	return s.Get(ctx, wire.ScheduleParams{ID: e.ID})
}

func (s *Schedules) edit(ctx context.Context, e wire.ScheduleEdit) (wire.Schedule, error) {
	return s.Edit(ctx, e, Behind{})
}

// apply puts a change into a schedule. When it is due is read anew only where that is changed: an interval keeps its anchor.
func (s *Schedules) apply(r *row, e wire.ScheduleEdit, by Behind) error {
	set(&r.Agent, e.Agent)
	set(&r.Kind, e.Kind)
	set(&r.Zone, e.TimeZone)
	set(&r.Title, e.Title)
	set(&r.Task, e.Task)
	set(&r.CatchUp, e.CatchUp)
	if e.Condition != nil { // what held of another one says nothing
		r.Condition, r.Holds, r.Blind = e.Condition, false, 0
	}
	if e.Deliver != nil {
		r.Deliver = cmp.Or(e.Deliver.To, wire.DeliverSession)
	}
	r.Level = min(r.Level, s.level(r.Agent))
	if by.Level > 0 {
		r.Level = min(r.Level, by.Level)
	}
	r.Taint = taintOf(r.Taint, by.Taint)
	r.Version++
	r.Updated = s.now()
	if r.State == wire.SchedulePaused && r.Why == wire.PausedNoAgent && e.Agent != nil {
		r.State, r.Why = wire.ScheduleActive, ""
	}
	if e.Kind == nil && e.Spec == nil && e.TimeZone == nil {
		return s.checkFields(r)
	}
	spec := r.Spec
	set(&spec, e.Spec)
	r.Failures = 0
	_, err := s.plan(r, spec, r.Updated)
	return err
}

func set[T any](field *T, to *T) {
	if to != nil {
		*field = *to
	}
}

// maxTaint is how many sources a schedule names. One is enough to taint its runs.
const maxTaint = 50

// taintOf adds sources to those that are there.
func taintOf(have, more []policy.Source) []policy.Source {
	seen := map[policy.Source]bool{}
	var all []policy.Source
	for _, one := range append(append([]policy.Source{}, have...), more...) {
		if !seen[one] && len(all) < maxTaint {
			seen[one] = true
			all = append(all, one)
		}
	}
	return all
}

func stampOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// Refusal is the text of an error that a person may read; empty for any other.
func Refusal(err error) string {
	var no *wire.RPCError
	if errors.As(err, &no) {
		return no.Text
	}
	return ""
}
