package agentd

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/netguard"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/schedule"
	"gatehouse/agentd/schedule/webhook"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/plan"
	"gatehouse/agentd/wire"
)

// openSchedules makes ready what the team does at times of its own.
func (d *Daemon) openSchedules(ctx context.Context) (err error) {
	d.webhooks, err = webhook.New(ctx, webhook.Deps{
		DB: d.db, Receipts: d.receipts, Signed: d.keys, Keys: senderKeys{d, wire.MethodScheduleWebhook, "schedule"}, Gate: d.gate,
		Answers: scheduledAnswers{d.runtime}, Dir: d.cfg.State, Resolve: netguard.System, Now: d.now, Log: d.log,
	})
	if err != nil {
		return err
	}
	d.schedules = schedule.New(schedule.Deps{
		DB: d.db, Receipts: d.receipts, Runs: scheduledRuns{d.runtime}, Config: d.config, Now: d.now, Log: d.log,
		HasAgent: d.hasAgent, Paused: d.pausedBy, Look: looker{d}, Failed: d.scheduleFailed, Webhooks: d.webhooks,
	})
	return d.gate.Add(d.webhooks.Tool())
}

// scheduledAnswers reads what the runs of schedules have said.
type scheduledAnswers struct{ rt *runtime.Runtime }

// Answer implements webhook.Answers.
func (s scheduledAnswers) Answer(ctx context.Context, run string) (webhook.Answer, error) {
	a, err := s.rt.AnswerOf(ctx, run)
	return webhook.Answer{Text: a.Text, Taint: a.Taint}, err
}

// monitorAddress marks the calls of monitors, which no run makes.
const monitorAddress = "monitor"

// monitors says whether a call was made by a monitor.
func monitors(c gate.Call) bool {
	return c.Origin.Channel == string(policy.FromSchedule) && c.Origin.Address == monitorAddress
}

// lookFor is how long a monitor waits for a tool.
const lookFor = 30 * time.Second

// looker looks at what tools give, through the gate.
type looker struct{ d *Daemon }

// Reads implements schedule.Looker.
func (l looker) Reads(name string, args json.RawMessage) bool {
	return l.d.gate.Tier(name, args) == policy.Green
}

// Look implements schedule.Looker. A monitor asks nobody: what the rules want to be asked about, it does not do.
func (l looker) Look(ctx context.Context, p schedule.Look) (text, why string, err error) {
	call, run := uuid.Must(uuid.NewV7()).String(), uuid.Must(uuid.NewV7()).String()
	from := wire.Origin{Channel: string(policy.FromSchedule), Address: monitorAddress}
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	out, err := l.d.gate.Do(ctx, gate.Call{
		ID: call, RunID: run, RootRunID: run, SessionID: p.Session, Agent: p.Agent, Tool: p.Tool, Args: p.Args,
		Reason: "Monitor: " + p.Title, Level: p.Level, Origin: from, Taint: p.Taint,
		NeverAsk: true,
	}, func(bool) {})
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", "The tool did not answer within 30 seconds.", nil
	case err != nil:
		return "", "", err
	case out.State != wire.ToolDone:
		return "", cmp.Or(strings.TrimSpace(out.Text), "The tool failed."), nil
	}
	return out.Result.Text, "", nil
}

// scheduledRuns begins the runs of schedules.
type scheduledRuns struct{ rt *runtime.Runtime }

// Begin implements schedule.Runs.
func (s scheduledRuns) Begin(tx *sql.Tx, r schedule.Start) error {
	return s.rt.AcceptScheduled(tx, runtime.Scheduled{
		ChatMessage: wire.ChatMessage{RunID: r.RunID, SessionID: r.Session, Agent: r.Agent, Text: r.Task, Time: r.At, From: r.From},
		Title:       r.Title, Level: r.Level, Taint: r.Taint, Fresh: r.Fresh, Archived: r.Archived, Say: r.Say,
	})
}

// Outcome implements schedule.Runs.
func (s scheduledRuns) Outcome(tx *sql.Tx, runID string) (schedule.Outcome, error) {
	o, err := s.rt.OutcomeOf(tx, runID)
	return schedule.Outcome{State: o.State, Parked: o.State == wire.RunParked, Changed: o.Changed, Paused: o.Paused, Why: o.Why}, err
}

// planner is what the tools of agents do with schedules. The schedules are made after the tools.
type planner struct{ d *Daemon }

// refused hands on to the model what a person may read.
func refused(err error) error {
	if text := schedule.Refusal(err); text != "" {
		return &tool.Refused{Text: text}
	}
	return err
}

// Read implements plan.Planner.
func (p planner) Read(when string, remind bool) (plan.Time, error) {
	kind := wire.ScheduleKind("")
	if remind {
		kind = wire.ScheduleReminder
	}
	r, err := p.d.schedules.Read(wire.ScheduleReadParams{Kind: kind, Spec: when})
	switch {
	case err != nil:
		return plan.Time{}, refused(err)
	case r.Ask != "":
		return plan.Time{}, &tool.Refused{Text: r.Ask + " Ask the owner, then try again with the words of the answer."}
	}
	return plan.Time{Kind: string(r.Kind), Spec: r.Spec, Zone: r.TimeZone, Says: r.Says, Next: r.Next[0]}, nil
}

// behind is what a schedule keeps of the call that makes or changes it.
func (p planner) behind(by plan.By) (runtime.Behind, schedule.Behind, error) {
	b, err := p.d.runtime.Behind(by.CallID, by.RunID)
	return b, schedule.Behind{CallID: by.CallID, RunID: b.RunID, Session: b.Session, Level: b.Level, Taint: b.Taint}, err
}

// Create implements plan.Planner.
func (p planner) Create(ctx context.Context, by plan.By, at plan.Time, a policy.ScheduleCreateArgs) (plan.Made, error) {
	b, keep, err := p.behind(by)
	if err != nil {
		return plan.Made{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return plan.Made{}, fmt.Errorf("schedule id: %w", err)
	}
	c := wire.ScheduleCreate{
		ID: id.String(), Agent: by.Agent, Kind: wire.ScheduleKind(at.Kind), Spec: at.Spec, TimeZone: at.Zone, Title: a.Title, Task: a.Task,
		By: b.From,
	}
	if a.WatchTool != "" {
		c.Kind = wire.ScheduleMonitor
		c.Condition = &wire.ScheduleCondition{
			Tool: a.WatchTool, Args: cmp.Or(a.WatchArgs, "{}"), Find: a.WatchFind, Is: a.WatchIs, Value: a.Watch,
		}
	}
	made, err := p.d.schedules.Create(ctx, c, keep)
	return madeOf(made), refused(err)
}

// List implements plan.Planner.
func (p planner) List(ctx context.Context, query string) ([]plan.Made, error) {
	all, err := p.d.schedules.List(ctx, wire.SchedulesParams{Q: query, Limit: 100})
	if err != nil {
		return nil, refused(err)
	}
	var out []plan.Made
	for _, s := range all.Items {
		out = append(out, madeOf(s))
	}
	return out, nil
}

// own finds a schedule of the agent that calls: what another one does is for that one, or the owner, to change.
func (p planner) own(ctx context.Context, by plan.By, id string) error {
	s, err := p.d.schedules.Get(ctx, wire.ScheduleParams{ID: id})
	if err != nil {
		return refused(err)
	}
	if s.Agent != by.Agent {
		return &tool.Refused{Text: "This is a schedule of " + s.Agent + ". Ask that colleague, or the owner, to change it."}
	}
	return nil
}

// Update implements plan.Planner.
func (p planner) Update(ctx context.Context, by plan.By, at *plan.Time, a policy.ScheduleUpdateArgs) (plan.Made, error) {
	if err := p.own(ctx, by, a.ID); err != nil {
		return plan.Made{}, err
	}
	b, keep, err := p.behind(by)
	if err != nil {
		return plan.Made{}, err
	}
	e := wire.ScheduleEdit{ID: a.ID, By: b.From}
	if at != nil {
		e.Spec, e.TimeZone = &at.Spec, &at.Zone
	}
	if task := strings.TrimSpace(a.Task); task != "" {
		e.Task = &task
	}
	made, err := p.d.schedules.Edit(ctx, e, keep)
	if err == nil && a.Paused != nil && !*a.Paused && made.State == wire.SchedulePaused && made.Why != wire.PausedByAnAgent {
		return plan.Made{}, &tool.Refused{Text: "Only the owner can go on with it, on the page of the schedules."}
	}
	if err == nil && a.Paused != nil {
		act := wire.ScheduleAct{ID: a.ID, By: b.From}
		if *a.Paused {
			made, err = p.d.schedules.Pause(ctx, act, wire.PausedByAnAgent, b.RunID)
		} else {
			made, err = p.d.schedules.Resume(ctx, act, b.RunID)
		}
	}
	return madeOf(made), refused(err)
}

// Delete implements plan.Planner.
func (p planner) Delete(ctx context.Context, by plan.By, id string) (plan.Made, error) {
	if err := p.own(ctx, by, id); err != nil {
		return plan.Made{}, err
	}
	b, _, err := p.behind(by)
	if err != nil {
		return plan.Made{}, err
	}
	made, err := p.d.schedules.Delete(ctx, wire.ScheduleAct{ID: id, By: b.From}, b.RunID)
	return madeOf(made), refused(err)
}

func madeOf(s wire.Schedule) plan.Made {
	m := plan.Made{
		ID: s.ID, Agent: s.Agent, Title: s.Title, Task: s.Task, Says: s.Says, State: string(s.State), Next: s.Next,
		Outside: len(s.Outside) > 0,
	}
	if s.Last != nil {
		m.Last = strings.TrimSpace(string(s.Last.Verdict) + " " + s.Last.Reason)
	}
	return m
}
