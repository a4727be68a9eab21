package team

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/chat"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/team"
	words "gatehouse/views/welcome"
)

// Crew is what owners do with which agents there are; team.Crew does it.
type Crew interface {
	Library(ctx context.Context, of account.CustomerID) (wire.TeamLibrary, error)
	Member(ctx context.Context, of account.CustomerID, agent string) (wire.TeamMember, error)
	History(ctx context.Context, of account.CustomerID, p wire.TeamHistoryParams) (wire.TeamHistory, error)
	Change(ctx context.Context, of account.CustomerID, c wire.TeamChange) (wire.TeamDone, error)
}

// library answers GET /app/agents/library: what the team can be made of.
func (p *Pages) library(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	got, err := p.Crew.Library(ctx, frame.Customer(c))
	props := views.LibraryProps{Away: frame.IsAway(err)}
	if err != nil && !props.Away {
		return err
	}
	if props.Signs, err = p.signs(c); err != nil {
		return err
	}
	for _, t := range got.Items {
		props.Templates = append(props.Templates, shownTemplate(web.Context(c), t))
	}
	for _, t := range got.Archived {
		props.Archived = append(props.Archived, shownTemplate(web.Context(c), t))
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "team.library"), Away: props.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.LibraryPage(outer, props))
}

func (p *Pages) signs(c echo.Context) (s views.Signs, err error) {
	s.Server, s.Config, err = signing.BoundTo(c, p.Frames, p.Team)
	return s, err
}

// shownTemplate is an entry of the library as the page shows it.
func shownTemplate(ctx context.Context, t wire.TeamTemplate) views.Template {
	out := views.Template{
		Agent: ui.Agent{ID: t.ID, Name: i18n.Say(ctx, t.Name), Role: t.Role}, About: t.Description, State: string(t.State),
		Update: t.Update, Broken: t.Broken,
	}
	for _, s := range t.Starters {
		out.Starters = append(out.Starters, i18n.Say(ctx, s))
	}
	if t.Name == "" {
		out.Agent.Name = t.ID
	}
	for _, n := range t.Needs {
		out.Needs = append(out.Needs, views.Need{Tool: n.Tool, For: n.For, Missing: n.Missing})
	}
	do, ok := map[wire.TeamState]wire.TeamDo{wire.TeamWaiting: wire.TeamDoInstall, wire.TeamArchived: wire.TeamDoRestore}[t.State]
	if ok && (t.Broken == "" || do == wire.TeamDoRestore) {
		out.Act = act(wire.TeamAct{Do: do, Agent: t.ID, Seen: t.Seen})
	}
	return out
}

// act is an act as its form names and signs it: each form a new one.
func act(a wire.TeamAct) string {
	a.ID = uuid.Must(uuid.NewV7()).String()
	raw, err := json.Marshal(a)
	if err != nil {
		panic("act of plain texts: " + err.Error())
	}
	return string(raw)
}

// files answers GET /app/agents/:agent/files: what makes an agent what it is, and what its template says otherwise.
func (p *Pages) files(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	id := c.Param("agent")
	m, err := p.Crew.Member(ctx, frame.Customer(c), id)
	props := views.FilesProps{Away: frame.IsAway(err), Agent: p.Agents.Agent(web.Context(c), frame.Customer(c), id)}
	if err != nil && !props.Away {
		return err
	}
	if props.Signs, err = p.signs(c); err != nil {
		return err
	}
	if !props.Away {
		fill(&props, m)
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "team.files_of", "agent", props.Agent.Name), Away: props.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.FilesPage(outer, props))
}

func fill(props *views.FilesProps, m wire.TeamMember) {
	props.Template, props.Broken = m.Template, m.Broken
	for _, f := range m.Files {
		props.Files = append(props.Files, views.File{Name: f.Name, Text: f.Text, Edited: f.Edited})
	}
	for _, u := range m.Updates {
		props.Updates = append(props.Updates, views.UpdateFile{
			Name: u.Name, Yours: u.Yours, Shipped: u.Shipped, Merged: u.Merged, Conflicts: u.Conflicts,
			Act: act(wire.TeamAct{Do: wire.TeamDoUpdate, Agent: m.ID, Seen: m.Seen, File: u.Name, Text: u.Merged}),
		})
	}
	if m.ID != chat.Dispatcher { // it is whom everybody talks to
		props.Leave = act(wire.TeamAct{Do: wire.TeamDoArchive, Agent: m.ID, Seen: m.Seen})
	}
}

// errAct refuses a form whose act no page of ours has made.
var errAct = fault.New(fault.Malformed, "act-unreadable", "act cannot be read",
	"This form could not be read. Nothing was changed; load the page again and repeat it.")

// change answers POST /app/agents/change: carries out what the script has signed, and says what is now true.
func (p *Pages) change(c echo.Context) error {
	var a wire.TeamAct
	if json.Unmarshal([]byte(c.FormValue("act")), &a) != nil {
		return errAct
	}
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	of, ctx := frame.Customer(c), c.Request().Context()
	done, err := p.Crew.Change(ctx, of, wire.TeamChange{Act: a, Signature: sig, By: inbox.Decider(c)})
	if err != nil {
		return err
	}
	name := p.learned(ctx, c, done.Agent)
	web.Flash(c, "ok", i18n.T(web.Context(c), did[a.Do], "agent", name))
	switch {
	case c.FormValue("back") == words.BusinessPath:
		return web.SeeOther(c, words.BusinessPath)
	case a.Do == wire.TeamDoUpdate, a.Do == wire.TeamDoWrite:
		return web.SeeOther(c, views.FilesPath(done.Agent))
	case done.State == wire.TeamAtWork:
		return web.SeeOther(c, portal.AgentPath(done.Agent))
	}
	return web.SeeOther(c, views.LibraryPath)
}

// learned reads the team again, so that pages know who is in it, and says how an agent is called.
func (p *Pages) learned(ctx context.Context, c echo.Context, agent string) string {
	before := p.Agents.Agent(web.Context(c), frame.Customer(c), agent)
	wait, cancel := frame.Asking(ctx)
	defer cancel()
	if got, err := p.Chat.Agents(wait, frame.Customer(c)); err == nil { // else the next page reads it
		p.Agents.Learn(frame.Customer(c), got)
	}
	if known, _ := p.Agents.Knows(frame.Customer(c), agent); known {
		before = p.Agents.Agent(web.Context(c), frame.Customer(c), agent)
	}
	return before.Name
}

// did are the sentences that say what was done.
var did = map[wire.TeamDo]i18n.Key{
	wire.TeamDoInstall: "team.did_install", wire.TeamDoArchive: "team.did_archive", wire.TeamDoRestore: "team.did_restore",
	wire.TeamDoUpdate: "team.did_update", wire.TeamDoCreate: "team.did_create", wire.TeamDoWrite: "team.did_update",
}
