package chat

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/chat"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/turn"
	"gatehouse/app/welcome"
	"gatehouse/views/ui"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/chat"
)

// send answers POST /app/chat: the message and an empty answer to htmx, which the stream then fills; a 303 to the
// conversation to a plain form. Commands such as /stop travel as text: the server answers them.
func (p *Pages) send(c echo.Context) error {
	sending, err := c.FormParams()
	if err != nil {
		return fmt.Errorf("message: %w", err)
	}
	m := chat.Message{
		SessionID: c.FormValue("session"), Agent: c.FormValue("agent"), Text: plainText(c.FormValue("text")), Once: c.FormValue("once"),
		Files: sending["file"],
	}
	sent, err := p.Chat.Send(c.Request().Context(), frame.Customer(c), frame.Origin(c), m)
	if err != nil {
		return p.unsent(c, m, err)
	}
	if err := p.Tasks.Done(c.Request().Context(), frame.Customer(c), welcome.Task(c.FormValue("task"))); err != nil {
		return err // sent again, the message is the same one
	}
	if sent.Moved {
		return frame.GoTo(c, portal.ChatPath(sent.SessionID)+"#"+ui.TurnID(sent.RunID))
	}
	if strings.TrimSpace(m.Text) == "/new" {
		return frame.GoTo(c, portal.Chat+"?new=1")
	}
	if !web.IsPartial(c) {
		return web.SeeOther(c, portal.ChatPath(sent.SessionID)+"#"+ui.TurnID(sent.RunID))
	}
	return p.showSent(c, m, sent)
}

// plainText undoes what browsers do to line breaks in a text field.
func plainText(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// showSent puts the message and the empty answer at the end of the conversation, unless they stand there already: the
// message may have been sent before, and the answer to that lost.
func (p *Pages) showSent(c echo.Context, m chat.Message, sent chat.Sent) error {
	ctx, of := web.Context(c), frame.Customer(c)
	if m.Agent == "" {
		m.Agent = chat.Dispatcher
	}
	asked := wire.Turn{Run: wire.Run{RunInfo: wire.RunInfo{ID: sent.RunID}}, Text: m.Text, Files: m.Files, Time: askedAt(sent.RunID)}
	t := turn.New(sent.RunID, m.Agent, askedAt(sent.RunID), 0).In(sent.SessionID)
	if sent.Queued {
		t.Away()
	}
	names := func(agent string) ui.Agent { return p.Agents.Agent(ctx, of, agent) }
	bar := composer(ctx, sent.SessionID, m.Agent, sent.RunID)
	if sent.Ended {
		p.offerStop(c, m, &bar)
	}
	return web.Render(c, http.StatusOK, views.Sent(personTurn(ctx, asked, reader(c)), t.Look(ctx, names), bar))
}

// unsent says why a message was not taken; what was typed stays in the field.
func (p *Pages) unsent(c echo.Context, m chat.Message, err error) error {
	f := web.Told(c, err)
	if f.Kind != fault.Invalid {
		return err
	}
	bar := composer(web.Context(c), m.SessionID, m.Agent, "")
	bar.Draft, bar.Error = m.Text, f.Public
	if why := cmp.Or(f.Fields["text"], f.Fields["files"]); why != "" {
		bar.Error = why
	}
	if web.IsPartial(c) {
		p.offerStop(c, m, &bar)
		return web.Render(c, http.StatusUnprocessableEntity, ui.PushComposer(bar))
	}
	return p.showUnsent(c, bar, err)
}

// offerStop lets the composer stop what runs in the conversation, of which a message that starts nothing takes nothing
// away. When that cannot be found out it offers nothing; the stream shows it with the next change.
func (p *Pages) offerStop(c echo.Context, m chat.Message, bar *ui.Composer) {
	bar.Run, bar.Stop = "", ""
	t := conversation{session: m.SessionID, agent: m.Agent}
	if err := p.readConversation(c.Request().Context(), frame.Customer(c), &t, ""); err != nil || t.away {
		return
	}
	props, _ := p.conversationProps(c, t)
	bar.Run, bar.Stop = props.Composer.Run, props.Composer.Stop
}

// showUnsent is the conversation again, with what was typed and what is wrong with it.
func (p *Pages) showUnsent(c echo.Context, bar ui.Composer, cause error) error {
	t := conversation{session: bar.Session, agent: bar.Agent, fresh: bar.Session == ""}
	if err := p.readConversation(c.Request().Context(), frame.Customer(c), &t, ""); err != nil {
		if fault.Of(err).Kind != fault.NotFound {
			return errors.Join(cause, err)
		}
		t.fresh = true
	}
	props, _ := p.conversationProps(c, t)
	props.Composer.Draft, props.Composer.Error = bar.Draft, bar.Error
	if task := welcome.Task(c.FormValue("task")); task.Known() {
		props.Composer.Task, props.Composer.Keep = string(task), ""
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: props.Title, Away: t.away, Fill: true})
	if err != nil {
		return err
	}
	outer.Failed = true
	return web.Render(c, http.StatusUnprocessableEntity, views.Page(outer, props))
}
