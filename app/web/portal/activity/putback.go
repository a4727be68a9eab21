package activity

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/chat"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/activity"
)

// errNoChange says that a call wrote no file.
var errNoChange = fault.New(fault.NotFound, "no-change", "no such write",
	"Your server has no such file change. The link may be incomplete.")

// written answers GET /app/changes/:call: what a write has replaced, and what putting that back would change now.
func (p *Pages) written(c echo.Context) error {
	return p.showWritten(c, http.StatusOK, views.PutBackProps{})
}

// showWritten fills props in and shows them; what is set already is why a form was refused.
func (p *Pages) showWritten(c echo.Context, status int, props views.PutBackProps) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	w, err := p.writtenBy(ctx, c)
	props.Away = frame.IsAway(err)
	if err != nil && !props.Away {
		return err
	}
	if props.Away {
		status = http.StatusServiceUnavailable
	}
	props.Call, props.Once = c.Param("call"), uuid.Must(uuid.NewV7()).String()
	props.Run, props.Path, props.State, props.At, props.Until, props.Now = w.RunID, w.Path, string(w.State), w.Time, w.Until, w.Now
	if w.Agent != "" {
		props.Agent = p.Agents.Agent(ctx, frame.Customer(c), w.Agent)
	}
	if w.Diff != nil {
		diff := ui.Unified(w.Diff.Path, w.Diff.Unified)
		diff.New = w.Diff.New
		props.Diff = &diff
	}
	title := i18n.T(web.Context(c), "portal.back.title")
	if props.Path != "" {
		title = i18n.T(web.Context(c), "portal.back.title_of", "path", props.Path)
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: title, Away: props.Away})
	if err != nil {
		return err
	}
	outer.Failed = props.Problem != "" || props.Moved
	return web.Render(c, status, views.PutBackPage(outer, props))
}

// writtenBy asks the server about the write of a page.
func (p *Pages) writtenBy(ctx context.Context, c echo.Context) (wire.Change, error) {
	id := c.Param("call")
	if uuid.Validate(id) != nil {
		return wire.Change{}, errNoChange
	}
	w, err := p.Chat.Change(ctx, frame.Customer(c), id)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		err = errNoChange
	}
	return w, err
}

// putBack answers POST /app/changes/:call: orders what the page has shown, as /restore in the conversation of the write
// does. Where the file is no longer what the page said, the page comes again; over a later change only who says so has
// anything put back.
func (p *Pages) putBack(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	w, err := p.writtenBy(ctx, c)
	switch {
	case frame.IsAway(err):
		return p.showWritten(c, http.StatusServiceUnavailable, views.PutBackProps{})
	case err != nil:
		return err
	case w.State != wire.ChangeKept && w.State != wire.ChangeLater || w.Now != c.FormValue("now"):
		return p.showWritten(c, http.StatusConflict, views.PutBackProps{Moved: true})
	case w.State == wire.ChangeLater && c.FormValue("anyway") == "":
		return p.showWritten(c, http.StatusUnprocessableEntity, views.PutBackProps{Problem: i18n.T(web.Context(c), "portal.back.say_so")})
	}
	m := chat.Message{Text: "/restore " + w.CallID, Once: c.FormValue("once")}
	if w.State == wire.ChangeLater {
		m.Text += " anyway"
	}
	if m.SessionID, m.Agent, err = p.conversationOf(c, w.RunID); err != nil {
		return err
	}
	sent, err := p.Chat.Send(c.Request().Context(), frame.Customer(c), frame.Origin(c), m)
	if err != nil {
		return err
	}
	return web.SeeOther(c, portal.ChatPath(sent.SessionID)+"#"+ui.TurnID(sent.RunID))
}

// conversationOf is the conversation of a run and who answers there; none of a write that no run made, as one at the command line.
func (p *Pages) conversationOf(c echo.Context, run string) (session, agent string, err error) {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	r, err := p.Chat.Run(ctx, frame.Customer(c), run)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return "", "", nil
	}
	return r.SessionID, r.Agent, err
}
