package activity

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/turn"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/activity"
)

// errNoRun says that a run is not there.
var errNoRun = fault.New(fault.NotFound, "no-run", "no such run",
	"This task is not on your server. It may have been removed, or the link is incomplete.")

// run answers GET /app/runs/:id: what one run did, step by step, and the receipts that prove it.
func (p *Pages) run(c echo.Context) error {
	id := c.Param("id")
	if uuid.Validate(id) != nil {
		return errNoRun
	}
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	props, err := p.costed(ctx, frame.Customer(c), id)
	if frame.IsAway(err) {
		return p.runAway(c)
	}
	if err != nil {
		return err
	}
	page := frame.Page{Title: portal.Headline(web.Context(c), props.Run)}
	if props.Open() {
		page.Topic = "run&id=" + id
	}
	outer, err := p.Frames.Of(c, page)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.RunPage(outer, props))
}

// conversation answers GET /app/runs/:id/talk: leads to the conversation that a run belongs to.
func (p *Pages) conversation(c echo.Context) error {
	if uuid.Validate(c.Param("id")) != nil {
		return errNoRun
	}
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	r, err := p.Chat.Run(ctx, frame.Customer(c), c.Param("id"))
	switch {
	case frame.IsAway(err):
		return p.runAway(c)
	case fault.Of(err).Kind == fault.NotFound && err != nil, err == nil && r.SessionID == "":
		return errNoRun
	case err != nil:
		return err
	}
	return web.SeeOther(c, portal.ChatPath(r.SessionID))
}

// runAway is the page of a run while the server that has it is away.
func (p *Pages) runAway(c echo.Context) error {
	return p.Frames.Away(c, i18n.T(web.Context(c), "portal.run.title"))
}

// costed is a run with what it cost.
func (p *Pages) costed(ctx context.Context, of account.CustomerID, id string) (views.RunPageProps, error) {
	props, used, err := p.runProps(ctx, of, id)
	if err == nil {
		props.Cost, err = p.cost(ctx, of, used)
	}
	return props, err
}

func (p *Pages) runProps(ctx context.Context, of account.CustomerID, id string) (views.RunPageProps, []wire.RunUse, error) {
	var run wire.Run
	var log wire.ReceiptsResult
	var group errgroup.Group
	group.Go(func() (err error) { run, err = p.Chat.Run(ctx, of, id); return err })
	group.Go(func() (err error) { log, err = p.Chat.Receipts(ctx, of, id); return err })
	if err := group.Wait(); err != nil {
		return views.RunPageProps{}, nil, err
	}
	if turn.Past(run, time.Time{}).State() == wire.RunParked {
		run.State = wire.RunParked // the server notes it a moment after it has asked
	}
	names := func(agent string) ui.Agent { return p.Agents.Agent(ctx, of, agent) }
	props := views.RunPageProps{
		Run: turn.Line(run.RunInfo, p.Agents.Agent(ctx, of, run.RunInfo.Agent)), Tree: turn.Tree(ctx, run, names),
		Receipts: turn.Receipts(ctx, log.Items, names), Verified: log.Verified,
		Problem: log.Problem, Tokens: run.Usage.Input + run.Usage.Output, Model: run.Usage.Model, HandOffs: len(run.Tree),
		Hops: turn.Hops(run, names),
	}
	if run.Sub != nil {
		props.Of = run.Sub.Root
	}
	if run.Final != nil {
		props.Claims = turn.Evidence(run.ID, *run.Final).Claims
	}
	if run.Error != nil {
		props.Detail = run.Error.Detail
	}
	return props, run.Used, nil
}

// runPanel keeps the page of an open run up to date. What became of it may also show when its server is back, or when one
// of its questions was answered.
func (p *Pages) runPanel(c echo.Context, _ string) live.Topic {
	of, id := frame.Customer(c), c.QueryParam("id")
	var writes wire.DeltaData
	begun := map[string]bool{id: true} // the trees on the page: its own, and those of sub-agents
	return &live.Panel{
		Now: p.Now,
		Matters: func(n relay.Notice) bool {
			switch n.Kind {
			case relay.KindRun:
				return n.Run != nil && begun[n.Run.Root] && shows(*n.Run, &writes)
			case relay.KindServer, relay.KindApproval, relay.KindUsage:
				return true
			}
			return false
		},
		Draw: func(ctx context.Context) (templ.Component, error) {
			props, err := p.costed(ctx, of, id)
			for _, root := range props.Hops.Subs() {
				begun[root] = true
			}
			return views.PushRun(props), err
		},
	}
}

// shows says whether an event may change the page of its run. Of what a model writes, only that it writes does: its text
// stands there once it is whole. writes is the last that was seen of it.
func shows(ev wire.RunEvent, writes *wire.DeltaData) bool {
	if ev.Event != wire.EventDelta {
		return true
	}
	var d wire.DeltaData
	if json.Unmarshal(ev.Data, &d) != nil {
		return false
	}
	fresh := d.RunID != writes.RunID || d.Step != writes.Step || d.Attempt != writes.Attempt
	*writes = d
	return fresh
}

// evidence answers GET /app/runs/:id/evidence: the panel with its receipts, for an answer that was shown without; to a
// browser without scripts, the page of the run.
func (p *Pages) evidence(c echo.Context) error {
	id := c.Param("id")
	if uuid.Validate(id) != nil {
		return errNoRun
	}
	if !web.IsPartial(c) {
		return web.SeeOther(c, portal.RunPath(id)+"#receipts")
	}
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	props, _, err := p.runProps(ctx, frame.Customer(c), id)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, ui.EvidencePanel(views.EvidenceOf(web.Context(c), props)))
}
