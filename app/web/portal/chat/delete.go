package chat

import (
	"cmp"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/chat"
)

// askDelete answers GET /app/chat/:session/delete: what deleting a conversation means, and the button that does it.
func (p *Pages) askDelete(c echo.Context) error { return p.showDelete(c, http.StatusOK, "") }

// remove answers POST /app/chat/:session/delete. The script has signed it, and the server checks that.
func (p *Pages) remove(c echo.Context) error {
	id := c.Param("session")
	if uuid.Validate(id) != nil {
		return errNoConversation
	}
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	err = p.Chat.Delete(c.Request().Context(), frame.Customer(c), frame.Origin(c), id, sig)
	if f := web.Told(c, err); err != nil && (f.Kind == fault.Conflict || f.Kind == fault.Forbidden) {
		return p.showDelete(c, web.StatusOf(f.Kind), f.Public)
	}
	if err != nil {
		return err
	}
	frame.Said(c, "portal.talk.deleted")
	return web.SeeOther(c, views.DeletedPath(id))
}

func (p *Pages) showDelete(c echo.Context, status int, problem string) error {
	id := c.Param("session")
	if uuid.Validate(id) != nil {
		return errNoConversation
	}
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	got, err := p.Chat.Session(ctx, frame.Customer(c), wire.SessionParams{SessionID: id, Limit: 1})
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "portal.talk.delete_head"))
	}
	if err != nil {
		return err
	}
	props := views.DeleteProps{
		ID: id, Title: cmp.Or(got.Title, i18n.T(web.Context(c), "portal.talks.untitled")), Messages: got.Runs,
		AtWork: got.State.Open(), Problem: problem,
	}
	if props.ServerID, props.ConfigVersion, err = signing.BoundTo(c, p.Frames, p.Set); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.talk.delete_title", "title", props.Title)})
	if err != nil {
		return err
	}
	outer.Failed = problem != ""
	return web.Render(c, status, views.DeletePage(outer, props))
}
