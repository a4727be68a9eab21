package portal

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
	"gatehouse/app/server"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	cards "gatehouse/views/inbox"
	views "gatehouse/views/portal/home"
)

// Lengths of the lists on the home page.
const (
	homeNeeds = 3
	homeActs  = 5
)

// home answers GET /app: what needs the reader, who works, what was really done, and how the server is.
func (p *Portal) home(c echo.Context) error {
	ctx, cancel := reading(c)
	defer cancel()
	props, away, err := p.homeProps(ctx, customer(c))
	if err != nil {
		return err
	}
	frame, err := p.frame(c, sheet{title: i18n.T(web.Context(c), "portal.home.title"), topic: "home", away: away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Page(frame, props))
}

// homeProps reads the page; away says that the server could not be asked for its part of it.
func (p *Portal) homeProps(ctx context.Context, of account.CustomerID) (props views.Props, away bool, err error) {
	waits, err := p.Inbox.List(ctx, of, approval.Query{Status: "pending", Page: page.Ask{Limit: page.MaxLimit}})
	if err != nil {
		return props, false, err
	}
	srv, err := p.serverOf(ctx, of)
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
	group.Go(func() (err error) { secrets, err = p.Credentials.Asked(ctx, of); return err })
	err = group.Wait()
	if away = isAway(err) || srv.ID == ""; err != nil && !away {
		return props, false, err
	}
	p.names.learn(of, team)
	props = p.homeOf(of, waits.Items, srv, acts, away)
	props.Agents = agentStrip(team.Items, waits.Items, secrets.Items)
	props.Secrets, props.MoreSecrets = p.needed(of, secrets)
	return props, away, nil
}

func (p *Portal) homeOf(of account.CustomerID, waits []approval.Item, srv server.Server, acts wire.RunsResult, away bool) views.Props {
	inbox.Soonest(waits)
	props := views.Props{Waiting: len(waits), Away: away, Server: healthOf(srv, away), Setup: srv.ID == "" || !srv.Registered()}
	look := card.Look{Agent: func(id string) ui.Agent { return p.names.agent(of, id) }}
	for _, it := range waits[:min(homeNeeds, len(waits))] {
		props.Needs = append(props.Needs, cards.NeedOf(card.OfItem(it, look)))
	}
	for _, r := range acts.Items {
		props.Runs = append(props.Runs, p.actOf(of, r))
	}
	return props
}

// needed are the calls that wait for a secret, the soonest to run out first, and how many are not shown.
func (p *Portal) needed(of account.CustomerID, asked wire.SecretRequestsResult) (shown []views.SecretProps, more int) {
	open := slices.DeleteFunc(asked.Items, func(r wire.SecretRequest) bool { return r.State != "pending" })
	slices.SortStableFunc(open, func(a, b wire.SecretRequest) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
	for _, r := range open[:min(homeNeeds, len(open))] {
		shown = append(shown, views.SecretProps{ID: r.ID, Run: r.RootRunID, Agent: p.names.agent(of, r.Agent), Name: r.Name, Expires: r.ExpiresAt})
	}
	return shown, len(open) - len(shown)
}

// homePanel keeps the home page up to date.
func (p *Portal) homePanel(_ echo.Context, of account.CustomerID) topic {
	return &panel{
		now: p.Now,
		matters: func(n relay.Notice) bool {
			return n.Kind != relay.KindRun || n.Run != nil && n.Run.Event != wire.EventDelta && n.Run.Event != wire.EventReceipt
		},
		draw: func(ctx context.Context) (templ.Component, error) {
			props, _, err := p.homeProps(ctx, of)
			return views.Push(props), err
		},
	}
}
