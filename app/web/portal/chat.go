package portal

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/chat"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/chat"
)

// talk is one conversation as a page is made of it.
type talk struct {
	session string
	agent   string
	got     wire.Session
	team    wire.AgentsResult
	fresh   bool // nothing was said yet
	away    bool
}

// newest answers GET /app/chat: the newest conversation with the dispatcher, or a new one.
func (p *Portal) newest(c echo.Context) error { return p.showNewest(c, chat.Dispatcher) }

// chatAgent answers GET /app/chat/agent/:agent: the newest conversation with one agent, or a new one.
func (p *Portal) chatAgent(c echo.Context) error { return p.showNewest(c, c.Param("agent")) }

func (p *Portal) showNewest(c echo.Context, agent string) error {
	if c.QueryParam("new") != "" {
		return p.showTalk(c, talk{session: uuid.Must(uuid.NewV7()).String(), agent: agent, fresh: true})
	}
	ctx, cancel := reading(c)
	defer cancel()
	got, err := p.Chat.Sessions(ctx, customer(c), wire.ListParams{Agent: agent, Limit: 1})
	switch {
	case isAway(err):
		return p.showTalk(c, talk{session: uuid.Must(uuid.NewV7()).String(), agent: agent, fresh: true, away: true})
	case err != nil:
		return err
	case len(got.Items) == 0:
		return p.showTalk(c, talk{session: uuid.Must(uuid.NewV7()).String(), agent: agent, fresh: true})
	}
	return p.showTalk(c, talk{session: got.Items[0].ID, agent: agent})
}

// chat answers GET /app/chat/:session: one conversation, with ?before= its older turns as a fragment.
func (p *Portal) chat(c echo.Context) error {
	id := c.Param("session")
	if uuid.Validate(id) != nil {
		return errNoTalk
	}
	if before := c.QueryParam("before"); before != "" && web.IsPartial(c) {
		return p.older(c, id, before)
	}
	return p.showTalk(c, talk{session: id, agent: chat.Dispatcher})
}

// errNoTalk says that a conversation is not there.
var errNoTalk = fault.New(fault.NotFound, "no-conversation", "no such conversation",
	"This conversation is not on your server. It may have been removed; the others are listed under Conversations.")

// showTalk renders a conversation.
func (p *Portal) showTalk(c echo.Context, t talk) error {
	ctx, cancel := reading(c)
	defer cancel()
	if err := p.readTalk(ctx, customer(c), &t, c.QueryParam("before")); err != nil {
		return err
	}
	if t.fresh && t.away {
		if _, err := p.agentAlone(c.Request().Context(), customer(c), t.agent); err != nil {
			return err
		}
	}
	props, at := p.talkProps(c, t)
	frame, err := p.frame(c, sheet{
		title: props.Title, away: t.away, fill: true,
		topic: "chat&session=" + t.session + "&agent=" + url.QueryEscape(t.agent) + "&at=" + at.String(),
	})
	if err != nil {
		return err
	}
	if frame.Offline != nil {
		props.Composer.Away = i18n.T(web.Context(c), "portal.chat.will_wait")
	}
	return web.Render(c, http.StatusOK, views.Page(frame, props))
}

// readTalk asks the server for the conversation and for the team, side by side.
func (p *Portal) readTalk(ctx context.Context, of account.CustomerID, t *talk, before string) error {
	if t.away {
		return nil
	}
	var group errgroup.Group
	group.Go(func() (err error) { t.team, err = p.Chat.Agents(ctx, of); return err })
	if !t.fresh {
		group.Go(func() (err error) {
			t.got, err = p.Chat.Session(ctx, of, wire.SessionParams{SessionID: t.session, Before: before})
			return err
		})
	}
	err := group.Wait()
	if t.away = isAway(err); err != nil && !t.away {
		return err
	}
	if t.got.Agent != "" {
		t.agent = t.got.Agent
	}
	if t.fresh && !t.away && !slices.ContainsFunc(t.team.Items, func(a wire.AgentInfo) bool { return a.ID == t.agent }) {
		return errNoAgent
	}
	p.names.learn(of, t.team)
	return nil
}

func (p *Portal) talkProps(c echo.Context, t talk) (views.Props, place) {
	ctx, of := web.Context(c), customer(c)
	turns, at := p.turnsOf(c, t.got.Turns)
	who := p.names.agent(of, t.agent)
	props := views.Props{
		Title: t.got.Title, Agent: who, Fresh: len(turns) == 0, Away: t.away,
		Thread: ui.Thread{Session: t.session, Label: i18n.T(ctx, "portal.chat.label", "agent", who.Name), Turns: turns},
		Works:  at.works,
	}
	if props.Title == "" {
		props.Title = i18n.T(ctx, "portal.chat.title", "agent", who.Name)
	}
	if t.got.More && len(t.got.Turns) > 0 {
		props.Thread.Older = views.OlderPath(t.session, t.got.Turns[0].Run.ID)
	}
	props.Composer = composer(ctx, t.session, t.agent, at.newestOpen())
	props.Composer.Focus = props.Fresh
	for _, a := range t.team.Items {
		if a.ID == t.agent {
			props.Member, props.Starters = agentOf(a, 0), a.Starters
		}
	}
	return props, at
}

// composer is where the reader writes; run is the one that can be stopped, "" when there is none.
func composer(ctx context.Context, session, agent, run string) ui.Composer {
	c := ui.Composer{
		Action: portal.Chat, Session: session, Agent: agent, Run: run, Once: uuid.Must(uuid.NewV7()).String(),
		Label: i18n.T(ctx, "portal.composer.label"), Hint: i18n.T(ctx, "portal.composer.hint"),
	}
	if run != "" {
		c.Stop = portal.StopPath(run)
	}
	return c
}

// older answers with the turns before one of a conversation, to stand above it.
func (p *Portal) older(c echo.Context, id, before string) error {
	ctx, cancel := reading(c)
	defer cancel()
	got, err := p.Chat.Session(ctx, customer(c), wire.SessionParams{SessionID: id, Before: before})
	if err != nil {
		return err
	}
	turns, _ := p.turnsOf(c, got.Turns)
	props := views.OlderProps{Turns: turns}
	if got.More && len(got.Turns) > 0 {
		props.Older = views.OlderPath(id, got.Turns[0].Run.ID)
	}
	return web.Render(c, http.StatusOK, views.Older(props))
}

// personTurn is what a person wrote.
func personTurn(ctx context.Context, t wire.Turn, reader string) ui.Turn {
	who := t.From.Email
	if who == reader || who == "" {
		who = i18n.T(ctx, "portal.chat.you")
	}
	return ui.Turn{Run: t.Run.ID, Person: true, Who: who, At: t.Time, Text: t.Text}
}

func reader(c echo.Context) string { return session.Of(c).Email }

// eventsWait is how long a page waits for the events of an open run; then it shows what the record has.
const eventsWait = time.Second
