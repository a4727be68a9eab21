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
	"gatehouse/app/server"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/hook"
)

// Hooks is what people do with hooks; hook.Service does it.
type Hooks interface {
	List(ctx context.Context, of account.CustomerID) (wire.HooksResult, error)
	Find(ctx context.Context, of account.CustomerID, id string) (wire.Hook, error)
	Deliveries(ctx context.Context, of account.CustomerID, p wire.HookDeliveriesParams) (wire.HookDeliveries, error)
	Change(ctx context.Context, of account.CustomerID, c wire.HookChange) (wire.Hook, error)
	ServerID(ctx context.Context, of account.CustomerID) (server.ID, error)
}

// Team says which agents there are; chat.Service does.
type Team interface {
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Hooks     Hooks
	Rules     Rules
	Schedules Schedules
	Chat      Team
	Team      signing.Settings
	Frames    *frame.Frames
	Agents    *roster.Roster
}

// Pages answers the pages of hooks.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and where their forms go.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(portal.Hooks, account.Look, p.list),
		frame.Get(views.NewPath, account.Manage, p.blank),
		frame.Post(views.ChangePath, account.Manage, p.change),
		frame.Get(views.Path(":id"), account.Look, p.one),
		frame.Get(views.NewRulePath, account.Manage, p.blankRule),
		frame.Post(views.ChangeRulePath, account.Manage, p.changeRule),
		frame.Get(views.RulePath(":id"), account.Look, p.oneRule),
	}
}

// list answers GET /app/hooks.
func (p *Pages) list(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	got, err := p.Hooks.List(ctx, frame.Customer(c))
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "hook.title"))
	}
	if err != nil {
		return err
	}
	rules, err := p.Rules.Rules(ctx, frame.Customer(c))
	props := views.List{NoRules: err != nil && fault.Of(err).Kind == fault.Invalid} // a server of an older version does not know rules
	if err != nil && !props.NoRules {
		return err
	}
	for _, h := range got.Items {
		props.Items = append(props.Items, p.props(c, h))
	}
	for _, r := range rules.Items {
		props.Rules = append(props.Rules, p.rule(c, r))
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "hook.title")})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ListPage(outer, props))
}

func (p *Pages) props(c echo.Context, h wire.Hook) views.Hook {
	v := views.Hook{
		ID: h.ID, Name: h.Name, AgentID: h.Agent, Task: h.Task, Proof: string(h.Proof), State: string(h.State), Session: h.Session,
		PerMinute: h.PerMinute, Created: h.Created, Renewed: h.Renewed, By: h.By.Name,
	}
	if h.Agent != "" {
		v.Agent = p.Agents.Agent(web.Context(c), frame.Customer(c), h.Agent).Name
	}
	if h.Last != nil {
		last := receivedProps(*h.Last)
		v.Last = &last
	}
	return v
}

func receivedProps(r wire.HookReceived) views.Received {
	return views.Received{At: r.At, Verdict: string(r.Verdict), Reason: r.Reason, Run: r.RunID, Count: r.Count, Size: r.Size}
}

// address is where senders send to, without the name.
func (p *Pages) address(ctx context.Context, c echo.Context) (string, error) {
	id, err := p.Hooks.ServerID(ctx, frame.Customer(c))
	return c.Scheme() + "://" + c.Request().Host + "/h/" + string(id) + "/", err
}

// team are the agents that can be chosen.
func (p *Pages) team(ctx context.Context, c echo.Context) (all []ui.Option, err error) {
	team, err := p.Chat.Agents(ctx, frame.Customer(c))
	if err != nil {
		return nil, err
	}
	p.Agents.Learn(frame.Customer(c), team)
	for _, a := range team.Items {
		all = append(all, ui.Option{Value: a.ID, Label: a.Name})
	}
	return all, nil
}

// usualRate is how many deliveries a minute a new hook takes if nobody says otherwise.
const usualRate = 10

// blank answers GET /app/hooks/new.
func (p *Pages) blank(c echo.Context) error {
	return p.form(c, http.StatusOK, wire.HookAct{
		Do: wire.HookDoMake, Agent: c.QueryParam("agent"), Proof: wire.HookToken, PerMinute: usualRate,
	}, "")
}

// form shows the form with what was typed.
func (p *Pages) form(c echo.Context, status int, a wire.HookAct, problem string) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	title := i18n.T(web.Context(c), "hook.new")
	team, err := p.team(ctx, c)
	if frame.IsAway(err) {
		return p.Frames.Away(c, title)
	}
	if err != nil {
		return err
	}
	f := views.Form{Team: team, Problem: problem, Act: act(a), Hook: views.Hook{
		Name: a.Name, AgentID: a.Agent, Task: a.Task, Proof: string(a.Proof), PerMinute: a.PerMinute,
	}}
	if f.Address, err = p.address(ctx, c); err != nil {
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
	return web.Render(c, status, views.FormPage(outer, f))
}

// act is an act as its form names and signs it: each form a new one.
func act(a wire.HookAct) string {
	a.ID = uuid.Must(uuid.NewV7()).String()
	raw, err := json.Marshal(a)
	if err != nil {
		panic("act of plain texts: " + err.Error())
	}
	return string(raw)
}

// one answers GET /app/hooks/:id: a hook with what came to it.
func (p *Pages) one(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	of, id := frame.Customer(c), c.Param("id")
	h, err := p.Hooks.Find(ctx, of, id)
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "hook.title"))
	}
	if err != nil {
		return err
	}
	came, err := p.Hooks.Deliveries(ctx, of, wire.HookDeliveriesParams{ID: id, After: c.QueryParam("after")})
	if err != nil {
		return err
	}
	props := views.One{Hook: p.props(c, h), After: c.QueryParam("after"), More: came.Next}
	for _, r := range came.Items {
		props.Came = append(props.Came, receivedProps(r))
	}
	if props.Address, err = p.address(ctx, c); err != nil {
		return err
	}
	props.Address += h.Name
	if props.Team, err = p.team(ctx, c); err != nil {
		return err
	}
	if props.Signs.Server, props.Signs.Config, err = signing.BoundTo(c, p.Frames, p.Team); err != nil {
		return err
	}
	acts(&props, h)
	outer, err := p.Frames.Of(c, frame.Page{Title: h.Name})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.OnePage(outer, props))
}

// acts are what can be done with a hook as it was read.
func acts(props *views.One, h wire.Hook) {
	seen := wire.HookAct{Hook: h.ID, Name: h.Name, Version: h.Version}
	of := func(do wire.HookDo, fill func(*wire.HookAct)) string {
		a := seen
		a.Do = do
		fill(&a)
		return act(a)
	}
	nothing := func(*wire.HookAct) {}
	props.Edit = of(wire.HookDoEdit, func(a *wire.HookAct) { a.Agent, a.Task, a.PerMinute = h.Agent, h.Task, h.PerMinute })
	props.Renew = of(wire.HookDoRenew, func(a *wire.HookAct) { a.Proof = h.Proof })
	props.Delete = of(wire.HookDoDelete, nothing)
	props.Next = of(wire.HookDoPause, nothing)
	if h.State == wire.HookPaused {
		props.Next = of(wire.HookDoResume, nothing)
	}
}

// errAct refuses a form whose act no page of ours has made.
var errAct = fault.New(fault.Malformed, "act-unreadable", "act cannot be read",
	"This form could not be read. Nothing was changed; load the page again and repeat it.")

// change answers POST /app/hooks/change: carries out what the script has signed, and says what is now true.
func (p *Pages) change(c echo.Context) error {
	var a wire.HookAct
	if json.Unmarshal([]byte(c.FormValue("act")), &a) != nil {
		return errAct
	}
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	h, err := p.Hooks.Change(c.Request().Context(), frame.Customer(c), wire.HookChange{
		Act: a, Signature: sig, Nonce: c.FormValue("nonce"), Box: wire.SecretBox(c.FormValue("box")), By: inbox.Decider(c),
	})
	if k := fault.Of(err).Kind; err != nil && a.Do == wire.HookDoMake && (k == fault.Invalid || k == fault.Conflict) {
		return p.form(c, http.StatusUnprocessableEntity, a, web.Told(c, err).Public)
	}
	if err != nil {
		return err
	}
	frame.Said(c, did[a.Do])
	if a.Do == wire.HookDoDelete {
		return web.SeeOther(c, portal.Hooks)
	}
	return web.SeeOther(c, views.Path(h.ID))
}

// did are the sentences that say what was done.
var did = map[wire.HookDo]i18n.Key{
	wire.HookDoMake: "hook.did_make", wire.HookDoEdit: "hook.did_edit", wire.HookDoRenew: "hook.did_renew",
	wire.HookDoResume: "hook.did_resume", wire.HookDoPause: "hook.did_pause", wire.HookDoDelete: "hook.did_delete",
}
