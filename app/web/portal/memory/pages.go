package memory

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/memory"
)

// Memory is what people do with the memory of their team; memory.Service does it.
type Memory interface {
	List(ctx context.Context, of account.CustomerID, p wire.MemoryParams) (wire.MemoryResult, error)
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
	Change(ctx context.Context, of account.CustomerID, c wire.MemoryChange) (wire.MemoryNote, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Memory Memory
	Team   signing.Settings
	Frames *frame.Frames
	Agents *roster.Roster
}

// Pages answers the page of memory.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the page of the section and where its forms go.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(portal.Memory, account.Look, p.list),
		frame.Post(views.ChangePath, account.Manage, p.change),
	}
}

// onAPage is how many notes stand on one page.
const onAPage = 50

// list answers GET /app/memory: a page of notes, or those that fit what is searched.
func (p *Pages) list(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	in := wire.MemoryParams{
		Query: c.QueryParam("q"), Agent: c.QueryParam("agent"), Origin: wire.MemoryOrigin(c.QueryParam("origin")),
		Held: c.QueryParam("held") == "1", After: c.QueryParam("after"), Limit: onAPage,
	}
	props := views.Props{Q: in.Query, Agent: in.Agent, Origin: string(in.Origin), Held: in.Held, After: in.After}
	got, err := p.Memory.List(ctx, frame.Customer(c), in)
	if props.Away = frame.IsAway(err); err != nil && !props.Away {
		return err
	}
	if !props.Away {
		if err := p.names(ctx, c, &props); err != nil {
			return err
		}
		p.fill(c, &props, got)
	}
	if props.Signs.Server, props.Signs.Config, err = signing.BoundTo(c, p.Frames, p.Team); err != nil {
		return err
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, views.Results(props))
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "memory.title"), Away: props.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Page(outer, props))
}

// names are those whose notes these can be.
func (p *Pages) names(ctx context.Context, c echo.Context, props *views.Props) error {
	team, err := p.Memory.Agents(ctx, frame.Customer(c))
	if err != nil {
		return err
	}
	p.Agents.Learn(frame.Customer(c), team)
	props.Team = []ui.Option{{Value: wire.MemoryShared, Label: i18n.T(web.Context(c), "memory.shared")}}
	for _, a := range team.Items {
		props.Team = append(props.Team, ui.Option{Value: a.ID, Label: p.name(c, a.ID)})
	}
	return nil
}

// name is how whose notes are is called on the page.
func (p *Pages) name(c echo.Context, of string) string {
	if of == wire.MemoryShared {
		return i18n.T(web.Context(c), "memory.shared")
	}
	return p.Agents.Agent(web.Context(c), frame.Customer(c), of).Name
}

// fill puts what the server answered into the props.
func (p *Pages) fill(c echo.Context, props *views.Props, got wire.MemoryResult) {
	props.Waiting, props.LeftOut = got.Held, got.LeftOut
	if m := got.Meaning; m != nil {
		props.Meaning = views.Meaning{Model: m.Model, Known: m.Known, Notes: m.Notes, Since: m.Since, Why: m.Why}
	}
	query := url.Values{"agent": {props.Agent}, "origin": {props.Origin}}
	if props.Held {
		query.Set("held", "1")
	}
	props.Next = portal.NextPage(portal.Memory, query, got.Next)
	for _, n := range got.Items {
		row := views.Note{
			ID: n.ID, Of: p.name(c, n.Agent), Text: n.Text, Origin: string(n.Origin), Core: n.Core, Day: n.Day, At: n.At, Run: n.RunID,
			Held: n.Held, File: n.File, Line: n.Line,
		}
		if n.By != "" {
			row.By = p.name(c, n.By)
		}
		for do, form := range map[wire.MemoryDo]*string{
			wire.MemoryDoCorrect: &row.Correct, wire.MemoryDoConfirm: &row.Confirm,
			wire.MemoryDoHold: &row.Aside, wire.MemoryDoDelete: &row.Delete,
		} {
			*form = act(wire.MemoryAct{Do: do, Note: n.ID, Seen: n.Text, Text: text(do, n)})
		}
		props.Notes = append(props.Notes, row)
	}
	props.State = act(wire.MemoryAct{Do: wire.MemoryDoState, Agent: wire.MemoryShared})
}

// text is what an act would make of a note as long as nobody has typed anything.
func text(do wire.MemoryDo, n wire.MemoryNote) string {
	if do == wire.MemoryDoCorrect {
		return n.Text
	}
	return ""
}

// act is an act as its form names and signs it: each form a new one.
func act(a wire.MemoryAct) string {
	a.ID = uuid.Must(uuid.NewV7()).String()
	raw, err := json.Marshal(a)
	if err != nil {
		panic("act of plain texts: " + err.Error())
	}
	return string(raw)
}

// errAct refuses a form whose act no page of ours has made.
var errAct = fault.New(fault.Malformed, "act-unreadable", "act cannot be read",
	"This form could not be read. Nothing was changed; load the page again and repeat it.")

// change answers POST /app/memory/change: carries out what the script has signed, and says what is now true.
func (p *Pages) change(c echo.Context) error {
	var a wire.MemoryAct
	if json.Unmarshal([]byte(c.FormValue("act")), &a) != nil {
		return errAct
	}
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	_, err = p.Memory.Change(c.Request().Context(), frame.Customer(c), wire.MemoryChange{Act: a, Signature: sig, By: inbox.Decider(c)})
	if err != nil {
		return err
	}
	web.Flash(c, "ok", i18n.T(web.Context(c), did[a.Do]))
	return web.SeeOther(c, portal.Memory)
}

// did are the sentences that say what was done.
var did = map[wire.MemoryDo]i18n.Key{
	wire.MemoryDoState: "memory.did_state", wire.MemoryDoCorrect: "memory.did_correct", wire.MemoryDoConfirm: "memory.did_confirm",
	wire.MemoryDoHold: "memory.did_hold", wire.MemoryDoDelete: "memory.did_delete",
}
