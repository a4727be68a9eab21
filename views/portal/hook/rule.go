package hook

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Addresses of rules on events.
const (
	rulesPath      = portal.Hooks + "/rules"
	NewRulePath    = rulesPath + "/new"
	ChangeRulePath = rulesPath + "/change" // where acts on rules go
)

// RulePath is one rule.
func RulePath(id string) string { return rulesPath + "/" + url.PathEscape(id) }

// Rule is one rule on events.
type Rule struct {
	ID, Name, Event, OfAgent, OfAgentID, Outcome, Schedule, ScheduleID string
	Agent, AgentID, Task, State, Why, Session, By                      string

	PerHour int
	Last    *Firing
	Created time.Time
}

// Firing is an event that a rule waited for, or several that began nothing for the same reason.
type Firing struct {
	At                          time.Time
	Verdict, Reason, Run, OfRun string
	OfAgent, Outcome            string
	Count                       int
}

// Choices are what a rule can be narrowed to, and who can work on it.
type Choices struct{ Team, Schedules []ui.Option }

// OneRule is a rule with a page of its history.
type OneRule struct {
	Rule
	Choices

	Fired              []Firing
	After, More        string
	Signs              Signs
	Edit, Next, Delete string // acts as they are signed; Next pauses, or lets it go on
}

// RuleForm is a rule as it is typed.
type RuleForm struct {
	Rule
	Choices

	Act     string
	Signs   Signs
	Problem string
}

// ruled make a form whose act is written by the script and signed before it is sent.
func (s Signs) ruled(act string) templ.Attributes {
	a := s.attrs(act)
	a["data-change"] = "event_rule"
	return a
}

var events = map[string]i18n.Key{
	"run_ended": "hook.event_run", "approval_waiting": "hook.event_approval", "schedule_failed": "hook.event_schedule",
	"tool_degraded": "hook.event_tool",
}

var outcomes = map[string]i18n.Key{
	"done": "hook.outcome_done", "failed": "hook.outcome_failed", "stopped": "hook.outcome_stopped", "limit": "hook.outcome_limit",
}

func options(ctx context.Context, keys map[string]i18n.Key, order ...string) (all []ui.Option) {
	for _, value := range order {
		all = append(all, ui.Option{Value: value, Label: i18n.T(ctx, keys[value])})
	}
	return all
}

func eventOptions(ctx context.Context) []ui.Option {
	return options(ctx, events, "run_ended", "approval_waiting", "schedule_failed", "tool_degraded")
}

// anyOr puts "any" before choices.
func anyOr(ctx context.Context, all []ui.Option) []ui.Option {
	return append([]ui.Option{{Label: i18n.T(ctx, "hook.any")}}, all...)
}

func outcomeOptions(ctx context.Context) []ui.Option {
	return anyOr(ctx, options(ctx, outcomes, "done", "failed", "stopped", "limit"))
}

// when says in words what a rule waits for.
func (r Rule) when(ctx context.Context) string {
	text := i18n.T(ctx, events[r.Event])
	for _, narrower := range []string{r.OfAgent, r.Schedule} {
		if narrower != "" {
			text += " · " + narrower
		}
	}
	if key, ok := outcomes[r.Outcome]; ok {
		text += " · " + i18n.T(ctx, key)
	}
	return text
}

var whys = map[string]i18n.Key{"owner": "hook.why_owner", "agent_removed": "hook.why_agent"}

func (r Rule) state(ctx context.Context) templ.Component { return Hook{State: r.State}.state(ctx) }

// became is what became of an event, in words.
func (f Firing) became(ctx context.Context) templ.Component {
	if f.Verdict == "began" {
		return ui.Status("ok", i18n.T(ctx, "hook.began"))
	}
	text := i18n.T(ctx, "hook.held")
	if f.Count > 1 {
		text = i18n.T(ctx, "hook.times", "what", text, "n", f.Count)
	}
	return ui.Status("warn", text)
}

func rulesTable(ctx context.Context, l List) ui.Table {
	t := ui.Table{
		ID: "rules", Caption: i18n.T(ctx, "hook.rules"), Path: portal.Hooks,
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "hook.name"), Main: true},
			{Label: i18n.T(ctx, "hook.when")},
			{Label: i18n.T(ctx, "hook.agent")},
			{Label: i18n.T(ctx, "hook.last_event")},
			{Label: i18n.T(ctx, "hook.state")},
		},
		Empty: ui.Empty{Kind: "new", Title: i18n.T(ctx, "hook.rules_empty"), Body: i18n.T(ctx, "hook.rules_empty_body")},
	}
	for _, r := range l.Rules {
		last := ui.Text(i18n.T(ctx, "hook.nothing_yet"))
		if r.Last != nil {
			last = r.Last.became(ctx)
		}
		t.Rows = append(t.Rows, ui.Row{ID: "rule-" + r.ID, Cells: []templ.Component{
			ui.Link(RulePath(r.ID), r.Name), ui.Text(r.when(ctx)), ui.Text(r.Agent), last, r.state(ctx),
		}})
	}
	return t
}

// fired lists the history.
func (o OneRule) fired(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: "fired", Caption: i18n.T(ctx, "hook.fired"), Path: RulePath(o.ID),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "hook.at"), Main: true},
			{Label: i18n.T(ctx, "hook.happened")},
			{Label: i18n.T(ctx, "hook.became")},
			{Label: i18n.T(ctx, "hook.reason")},
			{Label: i18n.T(ctx, "hook.run")},
		},
		Empty: ui.Empty{Kind: "new", Title: i18n.T(ctx, "hook.fired_empty"), Body: i18n.T(ctx, "hook.fired_empty_body")},
	}
	if o.After != "" {
		t.Pager.Prev = RulePath(o.ID)
	}
	t.Pager.Next = portal.NextPage(RulePath(o.ID), url.Values{}, o.More)
	for i, f := range o.Fired {
		run := ui.Text("")
		if f.Run != "" {
			run = ui.Link(portal.RunPath(f.Run), i18n.T(ctx, "hook.run_open"))
		}
		t.Rows = append(t.Rows, ui.Row{ID: "fired-" + strconv.Itoa(i), Cells: []templ.Component{
			ui.At(f.At), f.happened(ctx), f.became(ctx), ui.Text(i18n.Say(ctx, f.Reason)), run,
		}})
	}
	return t
}

// happened says whose it was, with the way to the run.
func (f Firing) happened(ctx context.Context) templ.Component {
	text := f.OfAgent
	if key, ok := outcomes[f.Outcome]; ok {
		text += " · " + i18n.T(ctx, key)
	}
	if f.OfRun == "" {
		return ui.Text(text)
	}
	return ui.Link(portal.RunPath(f.OfRun), text)
}

func (r Rule) facts(ctx context.Context) []ui.Pair {
	all := []ui.Pair{
		{Name: i18n.T(ctx, "hook.when"), Value: r.when(ctx)},
		{Name: i18n.T(ctx, "hook.agent"), Value: r.Agent},
		{Name: i18n.T(ctx, "hook.task"), Value: r.Task},
		{Name: i18n.T(ctx, "hook.per_hour"), Value: i18n.T(ctx, "hook.rate_value", "n", r.PerHour)},
		{Name: i18n.T(ctx, "hook.state"), View: r.state(ctx)},
		{Name: i18n.T(ctx, "hook.made"), Value: r.By},
	}
	if key, ok := whys[r.Why]; ok {
		all = append(all, ui.Pair{Name: i18n.T(ctx, "hook.reason"), Value: i18n.T(ctx, key)})
	}
	return all
}
