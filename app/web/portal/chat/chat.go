package chat

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/chat"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/turn"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	"gatehouse/views/portal"
	"gatehouse/views/portal/channel"
	views "gatehouse/views/portal/chat"
	"gatehouse/views/portal/file"
)

// conversation is one as a page is made of it.
type conversation struct {
	session string
	agent   string
	got     wire.Session
	team    wire.AgentsResult
	fresh   bool // nothing was said yet
	away    bool
	status  int              // of the answer; 0: all is well
	name    *views.NameProps // that was refused; nil: none was
}

// newest answers GET /app/chat: the newest conversation with the dispatcher, or a new one.
func (p *Pages) newest(c echo.Context) error { return p.showNewest(c, chat.Dispatcher) }

// newestOfAgent answers GET /app/chat/agent/:agent: the newest conversation with one agent, or a new one.
func (p *Pages) newestOfAgent(c echo.Context) error { return p.showNewest(c, c.Param("agent")) }

func (p *Pages) showNewest(c echo.Context, agent string) error {
	if c.QueryParam("new") != "" {
		return p.showConversation(c, conversation{session: uuid.Must(uuid.NewV7()).String(), agent: agent, fresh: true})
	}
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	got, err := p.Chat.Sessions(ctx, frame.Customer(c), wire.ListParams{Agent: agent, Limit: 1})
	switch {
	case frame.IsAway(err):
		return p.showConversation(c, conversation{session: uuid.Must(uuid.NewV7()).String(), agent: agent, fresh: true, away: true})
	case err != nil:
		return err
	case len(got.Items) == 0:
		return p.showConversation(c, conversation{session: uuid.Must(uuid.NewV7()).String(), agent: agent, fresh: true})
	}
	return p.showConversation(c, conversation{session: got.Items[0].ID, agent: agent})
}

// one answers GET /app/chat/:session: one conversation, with ?before= its older turns as a fragment.
func (p *Pages) one(c echo.Context) error {
	id := c.Param("session")
	if uuid.Validate(id) != nil {
		return errNoConversation
	}
	if before := c.QueryParam("before"); before != "" && web.IsPartial(c) {
		return p.older(c, id, before)
	}
	return p.showConversation(c, conversation{session: id, agent: chat.Dispatcher})
}

// errNoConversation says that a conversation is not there.
var errNoConversation = fault.New(fault.NotFound, "no-conversation", "no such conversation",
	"This conversation is not on your server. It may have been removed. You find the others under Conversations.")

// showConversation renders a conversation.
func (p *Pages) showConversation(c echo.Context, t conversation) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	if err := p.readConversation(ctx, frame.Customer(c), &t, c.QueryParam("before")); err != nil {
		return err
	}
	if t.fresh && t.away {
		if err := p.Team.Known(c.Request().Context(), frame.Customer(c), t.agent); err != nil {
			return err
		}
	}
	props, at := p.conversationProps(c, t)
	outer, err := p.Frames.Of(c, frame.Page{
		Title: props.Title, Away: t.away, Fill: true,
		Topic: "chat&session=" + t.session + "&agent=" + url.QueryEscape(t.agent) + "&at=" + at.String(),
	})
	if err != nil {
		return err
	}
	if err := p.prepare(c, t, &props.Composer); err != nil {
		return err
	}
	if outer.Offline != nil {
		props.Composer.Away = i18n.T(web.Context(c), "portal.chat.will_wait")
	}
	outer.Failed = t.status != 0
	return web.Render(c, cmp.Or(t.status, http.StatusOK), views.Page(outer, props))
}

// readConversation asks the server for the conversation and for the team, side by side.
func (p *Pages) readConversation(ctx context.Context, of account.CustomerID, t *conversation, before string) error {
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
	if t.away = frame.IsAway(err); err != nil && !t.away {
		return err
	}
	if t.got.Agent != "" {
		t.agent = t.got.Agent
	}
	if t.fresh && !t.away && !slices.ContainsFunc(t.team.Items, func(a wire.AgentInfo) bool { return a.ID == t.agent }) {
		return roster.ErrNoAgent
	}
	p.Agents.Learn(of, t.team)
	return nil
}

func (p *Pages) conversationProps(c echo.Context, t conversation) (views.Props, position) {
	ctx, of := web.Context(c), frame.Customer(c)
	turns, at := p.turnsOf(c, t.got.Turns)
	who := p.Agents.Agent(ctx, of, t.agent)
	props := views.Props{
		Title: t.got.Title, Agent: who, Fresh: len(turns) == 0, Away: t.away,
		Thread: ui.Thread{Session: t.session, Label: i18n.T(ctx, "portal.chat.label", "agent", who.Name), Turns: turns},
	}
	if at.works {
		props.LookAgain = views.LookAgainPath(t.session, at.newest, looks(c)+1)
	}
	if len(t.got.Turns) > 0 {
		props.Archived, props.Name = t.got.Archived, nameProps(t)
	}
	if props.Title == "" {
		props.Title = i18n.T(ctx, "portal.chat.title", "agent", who.Name)
	}
	if t.got.More && len(t.got.Turns) > 0 {
		props.Thread.Older = views.OlderPath(t.session, t.got.Turns[0].Run.ID)
	}
	props.Composer = composer(ctx, t.session, t.agent, at.newestOpen())
	props.Composer.Focus = props.Fresh
	props.Composer.Keep = keptAs(c, t)
	props.Composer.Attach = file.Attach(file.AttachProps{Away: t.away})
	for _, a := range t.team.Items {
		if a.ID == t.agent {
			props.Member = roster.Props(ctx, a, 0)
			props.Starters = props.Member.Starters
		}
	}
	return props, at
}

// nameProps is the name of a conversation as it stands in its field.
func nameProps(t conversation) views.NameProps {
	out := views.NameProps{Title: t.got.Title, Was: t.got.Title, Most: chat.MaxTitle}
	if t.name != nil {
		out.Title, out.Error = t.name.Title, t.name.Error
	}
	return out
}

// looks is how often a browser without scripts has looked for news so far.
func looks(c echo.Context) int {
	n, err := strconv.Atoi(c.QueryParam("look"))
	if err != nil || n < 0 || n > 1<<20 {
		return 0
	}
	return n
}

// keptAs names the draft of a conversation of the reader. A conversation that has not begun has another id each time that its
// page is loaded.
func keptAs(c echo.Context, t conversation) string {
	if t.fresh {
		return session.Of(c).UserID + " new " + t.agent
	}
	return session.Of(c).UserID + " " + t.session
}

// composer is where the reader writes; run is the one that can be stopped, "" when there is none.
func composer(ctx context.Context, session, agent, run string) ui.Composer {
	c := ui.Composer{
		Action: portal.Chat, Session: session, Agent: agent, Run: run, Once: uuid.Must(uuid.NewV7()).String(),
		Label: i18n.T(ctx, "portal.composer.label"), Hint: i18n.T(ctx, "portal.composer.hint"), Limit: chat.MaxText,
	}
	if run != "" {
		c.Stop = portal.StopPath(run)
	}
	return c
}

// older answers with the turns before one of a conversation, to stand above it.
func (p *Pages) older(c echo.Context, id, before string) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	got, err := p.Chat.Session(ctx, frame.Customer(c), wire.SessionParams{SessionID: id, Before: before})
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

// personTurn is what a person wrote, or what sub-agents report in the place of one. Of a message by a messaging channel anybody may have
// written the sender's address: it is the reader's only where the server is sure that the owner wrote it.
func personTurn(ctx context.Context, t wire.Turn, reader string) ui.Turn {
	who, messaged := t.From.Email, wire.IsMessaging(t.From.Channel)
	if messaged && who == "" { // a messenger knows no mail address
		who = t.From.Address
		if t.From.Owner {
			who = i18n.T(ctx, "portal.chat.owner")
		}
	}
	if who == "" || who == reader && (!messaged || t.From.Owner) {
		who = i18n.T(ctx, "portal.chat.you")
	}
	if m, is := channel.MessengerOf(t.From.Channel); is {
		who = i18n.T(ctx, "portal.chat.by_messenger", "who", who, "name", m.Title)
	} else if messaged {
		who = i18n.T(ctx, "portal.chat.by_email", "who", who)
	}
	if t.From.Report {
		who = i18n.T(ctx, "portal.chat.subagents")
	}
	return ui.Turn{Run: t.Run.ID, Person: true, Who: who, At: t.Time, Text: t.Text, Files: turn.Files(t.Files), Report: t.From.Report}
}

func reader(c echo.Context) string { return session.Of(c).Email }

// eventsWait is how long a page waits for the events of an open run; then it shows what the record has.
const eventsWait = time.Second
