package hook

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/hook"
)

// Rules is what people do with rules on events; hook.Service does it.
type Rules interface {
	Rules(ctx context.Context, of account.CustomerID) (wire.EventRulesResult, error)
	Rule(ctx context.Context, of account.CustomerID, id string) (wire.EventRule, error)
	Firings(ctx context.Context, of account.CustomerID, p wire.EventFiringsParams) (wire.EventFirings, error)
	ChangeRule(ctx context.Context, of account.CustomerID, c wire.EventRuleChange) (wire.EventRule, error)
}

// Schedules says which schedules there are; schedule.Service does.
type Schedules interface {
	List(ctx context.Context, of account.CustomerID, p wire.SchedulesParams) (wire.SchedulesResult, error)
}

func (p *Pages) rule(c echo.Context, r wire.EventRule) views.Rule {
	v := views.Rule{
		ID: r.ID, Name: r.Name, Event: string(r.When.Event), OfAgentID: r.When.OfAgent, Outcome: string(r.When.Outcome),
		ScheduleID: r.When.Schedule, Agent: p.name(c, r.Agent), AgentID: r.Agent, OfAgent: p.name(c, r.When.OfAgent), Task: r.Task,
		State: string(r.State), Why: r.Why, Session: r.Session, PerHour: r.PerHour, By: r.By.Name, Created: r.Created,
	}
	if r.Last != nil {
		last := p.firing(c, *r.Last)
		v.Last = &last
	}
	return v
}

// name is an agent as pages name it; empty for none.
func (p *Pages) name(c echo.Context, agent string) string {
	if agent == "" {
		return ""
	}
	return p.Agents.Agent(web.Context(c), frame.Customer(c), agent).Name
}

func (p *Pages) firing(c echo.Context, f wire.EventFiring) views.Firing {
	return views.Firing{
		At: f.At, Verdict: string(f.Verdict), Reason: f.Reason, Run: f.RunID, OfRun: f.OfRun, OfAgent: p.name(c, f.OfAgent),
		Outcome: string(f.Outcome), Count: f.Count,
	}
}

// mostSchedules is how many schedules a rule can be narrowed to on its form.
const mostSchedules = 200

// choices are what a rule can be narrowed to, and who can work on it.
func (p *Pages) choices(ctx context.Context, c echo.Context) (all views.Choices, err error) {
	if all.Team, err = p.team(ctx, c); err != nil {
		return all, err
	}
	got, err := p.Schedules.List(ctx, frame.Customer(c), wire.SchedulesParams{Limit: mostSchedules})
	for _, s := range got.Items {
		all.Schedules = append(all.Schedules, ui.Option{Value: s.ID, Label: s.Title})
	}
	return all, err
}

// blankRule answers GET /app/hooks/rules/new.
func (p *Pages) blankRule(c echo.Context) error {
	return p.ruleForm(c, http.StatusOK, wire.EventRuleAct{
		Do: wire.HookDoMake, Event: wire.EventRunEnded, Outcome: wire.OutcomeFailed, Agent: c.QueryParam("agent"),
		PerHour: wire.UsualEventsAnHour,
	}, "")
}

// ruleForm shows the form with what was typed.
func (p *Pages) ruleForm(c echo.Context, status int, a wire.EventRuleAct, problem string) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	title := i18n.T(web.Context(c), "hook.rule_new")
	f := views.RuleForm{Act: ruleAct(a), Problem: problem, Rule: views.Rule{
		Name: a.Name, Event: string(a.Event), OfAgentID: a.OfAgent, Outcome: string(a.Outcome), ScheduleID: a.Schedule, AgentID: a.Agent,
		Task: a.Task, PerHour: a.PerHour,
	}}
	var err error
	f.Choices, err = p.choices(ctx, c)
	if frame.IsAway(err) {
		return p.Frames.Away(c, title)
	}
	if err != nil {
		return err
	}
	if f.Signs.Server, f.Signs.Config, err = signing.BoundTo(c, p.Frames, p.Team); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: title})
	if err != nil {
		return err
	}
	outer.Failed = problem != ""
	return web.Render(c, status, views.RuleFormPage(outer, f))
}

// ruleAct is an act as its form names and signs it: each form a new one.
func ruleAct(a wire.EventRuleAct) string {
	a.ID = uuid.Must(uuid.NewV7()).String()
	raw, err := json.Marshal(a)
	if err != nil {
		panic("act of plain texts: " + err.Error())
	}
	return string(raw)
}

// oneRule answers GET /app/hooks/rules/:id: a rule with its history.
func (p *Pages) oneRule(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	of, id := frame.Customer(c), c.Param("id")
	r, err := p.Rules.Rule(ctx, of, id)
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "hook.title"))
	}
	if err != nil {
		return err
	}
	fired, err := p.Rules.Firings(ctx, of, wire.EventFiringsParams{ID: id, After: c.QueryParam("after")})
	if err != nil {
		return err
	}
	props := views.OneRule{Rule: p.rule(c, r), After: c.QueryParam("after"), More: fired.Next}
	for _, f := range fired.Items {
		props.Fired = append(props.Fired, p.firing(c, f))
	}
	if props.Choices, err = p.choices(ctx, c); err != nil {
		return err
	}
	for _, s := range props.Schedules {
		if s.Value == r.When.Schedule {
			props.Schedule = s.Label
		}
	}
	if props.Signs.Server, props.Signs.Config, err = signing.BoundTo(c, p.Frames, p.Team); err != nil {
		return err
	}
	ruleActs(&props, r)
	outer, err := p.Frames.Of(c, frame.Page{Title: r.Name})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.RulePage(outer, props))
}

// ruleActs are what can be done with a rule as it was read.
func ruleActs(props *views.OneRule, r wire.EventRule) {
	of := func(do wire.HookDo) wire.EventRuleAct {
		return wire.EventRuleAct{Do: do, Rule: r.ID, Version: r.Version}
	}
	edit := of(wire.HookDoEdit)
	edit.Name, edit.Event, edit.OfAgent, edit.Outcome, edit.Schedule = r.Name, r.When.Event, r.When.OfAgent, r.When.Outcome, r.When.Schedule
	edit.Agent, edit.Task, edit.PerHour = r.Agent, r.Task, r.PerHour
	props.Edit, props.Delete, props.Next = ruleAct(edit), ruleAct(of(wire.HookDoDelete)), ruleAct(of(wire.HookDoPause))
	if r.State == wire.HookPaused {
		props.Next = ruleAct(of(wire.HookDoResume))
	}
}

// changeRule answers POST /app/hooks/rules/change: carries out what the script has signed, and says what is now true.
func (p *Pages) changeRule(c echo.Context) error {
	var a wire.EventRuleAct
	if json.Unmarshal([]byte(c.FormValue("act")), &a) != nil {
		return errAct
	}
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	change := wire.EventRuleChange{Act: a, Signature: sig, By: inbox.Decider(c)}
	r, err := p.Rules.ChangeRule(c.Request().Context(), frame.Customer(c), change)
	if k := fault.Of(err).Kind; err != nil && a.Do == wire.HookDoMake && (k == fault.Invalid || k == fault.Conflict) {
		return p.ruleForm(c, http.StatusUnprocessableEntity, a, web.Told(c, err).Public)
	}
	if err != nil {
		return err
	}
	frame.Said(c, didRule[a.Do])
	if a.Do == wire.HookDoDelete {
		return web.SeeOther(c, portal.Hooks)
	}
	return web.SeeOther(c, views.RulePath(r.ID))
}

// didRule are the sentences that say what was done.
var didRule = map[wire.HookDo]i18n.Key{
	wire.HookDoMake: "hook.did_rule", wire.HookDoEdit: "hook.did_edit", wire.HookDoResume: "hook.did_resume",
	wire.HookDoPause: "hook.did_rule_pause", wire.HookDoDelete: "hook.did_delete",
}
