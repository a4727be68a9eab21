package home

import (
	"context"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/health"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/turn"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	domain "gatehouse/app/server"
	cards "gatehouse/views/inbox"
	"gatehouse/views/portal"
	views "gatehouse/views/portal/home"
)

// Lengths of the lists on the home page.
const (
	homeNeeds = 3
	homeActs  = 5
)

// home answers GET /app: what needs the reader, who works, what was really done, and how the server is.
func (p *Pages) home(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	props, away, err := p.props(ctx, frame.Customer(c))
	if err != nil {
		return err
	}
	if props.Confirm, err = frame.Unconfirmed(c, p.People, portal.Home); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.home.title"), Topic: "home", Away: away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Page(outer, props))
}

// props reads the page; away says that the server could not be asked for its part of it.
func (p *Pages) props(ctx context.Context, of account.CustomerID) (props views.Props, away bool, err error) {
	waits, err := p.Inbox.List(ctx, of, approval.Query{Status: "pending", Page: page.Ask{Limit: page.MaxLimit}})
	if err != nil {
		return props, false, err
	}
	srv, err := p.Frames.Server(ctx, of)
	if err != nil {
		return props, false, err
	}
	unwritten, err := frame.Unwritten(ctx, p.Keys, of)
	if err != nil {
		return props, false, err
	}
	tasks, err := p.tasks(ctx, of)
	if err != nil {
		return props, false, err
	}
	asked, open, err := p.Support.Standing(ctx, of)
	if err != nil {
		return props, false, err
	}
	running, err := p.Regain.Running(ctx, of)
	if err != nil {
		return props, false, err
	}
	low, err := frame.Low(ctx, p.Pools, of)
	if err != nil {
		return props, false, err
	}
	var team wire.AgentsResult
	var acts wire.RunsResult
	var secrets wire.SecretRequestsResult
	var group errgroup.Group
	group.Go(func() (err error) { team, err = p.Chat.Agents(ctx, of); return err })
	group.Go(func() (err error) {
		acts, err = p.Chat.Runs(ctx, of, wire.ListParams{Limit: homeActs})
		return err
	})
	group.Go(func() (err error) { secrets, err = p.Secrets.Asked(ctx, of); return err })
	group.Go(func() (err error) { props.Guests, err = p.guests(ctx, of); return err })
	err = group.Wait()
	if away = frame.IsAway(err) || srv.ID == ""; err != nil && !away {
		return props, false, err
	}
	p.Agents.Learn(of, team)
	guests := props.Guests
	props = p.propsOf(ctx, of, waits.Items, srv, acts, away)
	props.Tasks, props.Guests = tasks, guests
	props.Recovery, props.Low = unwritten, low
	props.Asked, props.Open = asked, open
	if running != nil {
		props.Regain = running.ID
	}
	props.Agents = roster.Strip(ctx, team.Items, waits.Items, secrets.Items)
	props.Secrets, props.MoreSecrets = p.needed(ctx, of, secrets)
	return props, away, nil
}

// guests are the channels by which people outside ask for a person. A server that knows of no such thing has none.
func (p *Pages) guests(ctx context.Context, of account.CustomerID) (all []views.GuestsProps, err error) {
	got, err := p.Channels.List(ctx, of)
	if err != nil && !frame.IsAway(err) {
		return nil, nil
	}
	for _, k := range got.Items {
		if n := k.Wrote.Person; n > 0 {
			all = append(all, views.GuestsProps{Channel: k.Name, Waiting: n})
		}
	}
	return all, err
}

func (p *Pages) propsOf(
	ctx context.Context, of account.CustomerID, waits []approval.Item, srv domain.Server, acts wire.RunsResult, away bool,
) views.Props {
	inbox.Soonest(waits)
	props := views.Props{Waiting: len(waits), Away: away, Server: health.Of(srv, away), Setup: srv.ID == "" || !srv.Registered()}
	look := card.Look{Agent: func(id string) ui.Agent { return p.Agents.Agent(ctx, of, id) }}
	for _, it := range waits[:min(homeNeeds, len(waits))] {
		props.Needs = append(props.Needs, cards.NeedOf(card.OfItem(ctx, it, look)))
	}
	for _, r := range acts.Items {
		props.Runs = append(props.Runs, turn.Line(r, p.Agents.Agent(ctx, of, r.Agent)))
	}
	return props
}

// needed are the calls that wait for a secret, the soonest to run out first, and how many are not shown.
func (p *Pages) needed(ctx context.Context, of account.CustomerID, asked wire.SecretRequestsResult) (shown []views.SecretProps, more int) {
	open := slices.DeleteFunc(asked.Items, func(r wire.SecretRequest) bool { return r.State != "pending" })
	slices.SortStableFunc(open, func(a, b wire.SecretRequest) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
	for _, r := range open[:min(homeNeeds, len(open))] {
		shown = append(shown, views.SecretProps{
			ID: r.ID, Run: r.RootRunID, Agent: p.Agents.Agent(ctx, of, r.Agent), Name: r.Name, Expires: r.ExpiresAt,
		})
	}
	return shown, len(open) - len(shown)
}

// panel keeps the home page up to date.
func (p *Pages) panel(c echo.Context, _ string) live.Topic {
	of := frame.Customer(c)
	return &live.Panel{
		Now: p.Now,
		Matters: func(n relay.Notice) bool {
			return n.Kind != relay.KindRun || n.Run != nil && n.Run.Event != wire.EventDelta && n.Run.Event != wire.EventReceipt
		},
		Draw: func(ctx context.Context) (templ.Component, error) {
			props, _, err := p.props(ctx, of)
			if err == nil {
				props.Confirm, err = frame.Unconfirmed(c, p.People, portal.Home)
			}
			return views.Push(props), err
		},
	}
}
