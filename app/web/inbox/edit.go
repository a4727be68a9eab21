package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"

	views "gatehouse/views/inbox"
)

// edit answers GET /app/approvals/:id/edit: a typed field for each argument. What is decided already cannot be edited.
func (h *Inbox) edit(c echo.Context) error {
	it, err := h.find(c)
	if err != nil {
		return err
	}
	if it.State != wire.ApprovalPending {
		return web.SeeOther(c, views.OnePath(h.Base, it.ID))
	}
	mine, bad := typedBefore(web.Context(c), it)
	return h.showEdit(c, http.StatusOK, it, mine, bad)
}

// saveEdit answers POST /app/approvals/:id/edit: the comparison when asked for it, else the edited call is allowed.
func (h *Inbox) saveEdit(c echo.Context) error {
	it, err := h.find(c)
	if err != nil {
		return err
	}
	if it.State != wire.ApprovalPending {
		return h.tooLate(c, it)
	}
	mine, bad := typed(c, it.Args)
	if c.FormValue("decision") == "compare" || web.IsPartial(c) {
		return h.compare(c, it, mine, bad)
	}
	if len(bad) == 0 && !mine.changed() {
		bad = map[string]string{"": i18n.T(web.Context(c), "inbox.edit.unchanged")}
	}
	if len(bad) == 0 && h.risk(it, mine).Never {
		bad = map[string]string{"": i18n.T(web.Context(c), "inbox.edit.refused")}
	}
	if len(bad) > 0 {
		return h.showEdit(c, http.StatusUnprocessableEntity, it, mine, bad)
	}
	return h.allowEdited(c, it, mine)
}

// allowEdited answers the approval with the person's own arguments. Their risk may be higher: then it is asked anew.
func (h *Inbox) allowEdited(c echo.Context, it approval.Item, mine draft) error {
	sig, err := SignatureOf(c)
	if err != nil {
		return err
	}
	ans := approval.Answer{Verb: wire.Edit, Args: mine.json(), Digest: c.FormValue("digest"), By: Decider(c), Signature: sig}
	if ans.Digest == "" {
		return errNoDigest
	}
	if text := c.FormValue("args"); text != "" {
		ans.Args = json.RawMessage(text) // what was signed, to the letter
	}
	if err := h.proven(c, it, ans); err != nil {
		return h.editRefused(c, it, mine, err)
	}
	after, err := h.settle(c.Request().Context(), customer(c), it.ID, ans)
	if err != nil {
		return h.editRefused(c, it, mine, err)
	}
	id, err := h.goesOn(c.Request().Context(), after)
	if err != nil {
		return err
	}
	return web.SeeOther(c, views.OnePath(h.Base, id))
}

// goesOn is the approval to look at after an edit: the one that replaced it, once the server has sent that.
func (h *Inbox) goesOn(ctx context.Context, after approval.Item) (string, error) {
	if after.State != wire.ApprovalSuperseded || after.Next == "" {
		return after.ID, nil
	}
	next, err := h.Store.Get(ctx, after.CustomerID, after.Next)
	if fault.Of(err).Kind == fault.NotFound {
		return after.ID, nil
	}
	return next.ID, err
}

// editRefused shows what was typed again, with the reason why it was not taken.
func (h *Inbox) editRefused(c echo.Context, it approval.Item, mine draft, err error) error {
	status := http.StatusUnprocessableEntity
	switch fault.Of(err).Kind {
	case fault.Conflict:
		now, findErr := h.find(c)
		if findErr != nil {
			return errors.Join(err, findErr)
		}
		if now.State != wire.ApprovalPending {
			return h.tooLate(c, now)
		}
		status = http.StatusConflict
	case fault.Invalid, fault.Forbidden:
	default:
		return err
	}
	return h.showEdit(c, status, it, mine, map[string]string{"": conflictWords(web.Context(c), err)})
}

// tooLate says how the approval was decided meanwhile. What the person typed stays, for it is nowhere else.
func (h *Inbox) tooLate(c echo.Context, it approval.Item) error {
	if web.IsPartial(c) {
		return web.Render(c, http.StatusConflict, h.PushEdit(web.Context(c), it))
	}
	return h.showEdit(c, http.StatusConflict, it, rescued(c), nil)
}

func (h *Inbox) showEdit(c echo.Context, status int, it approval.Item, mine draft, bad map[string]string) error {
	ctx := web.Context(c)
	p := h.editProps(ctx, it, mine, bad)
	title := i18n.T(ctx, "inbox.edit_tab", "asks", views.TabTitle(ctx, card.OfItem(ctx, it, h.look(ctx, it.CustomerID, nil))))
	frame, err := h.Frame(c, title, h.streamOf("edit&id="+it.ID))
	if err != nil {
		return err
	}
	p.Over = overOf(web.Context(c), it)
	frame.Failed = status >= http.StatusBadRequest
	return web.Render(c, status, views.EditPage(frame, p))
}

// overOf says how an approval was decided, to whoever is still changing its arguments.
func overOf(ctx context.Context, it approval.Item) string {
	if it.State == wire.ApprovalPending {
		return ""
	}
	return conflictWords(ctx, decidedAlready(it))
}

func (h *Inbox) compare(c echo.Context, it approval.Item, mine draft, bad map[string]string) error {
	p := h.editProps(web.Context(c), it, mine, bad)
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, views.Compared(p))
	}
	return h.showEdit(c, http.StatusOK, it, mine, bad)
}

func (h *Inbox) editProps(ctx context.Context, it approval.Item, mine draft, bad map[string]string) views.EditProps {
	p := views.EditProps{Card: card.OfItem(ctx, it, h.look(ctx, it.CustomerID, nil)), General: bad[""], Kinds: mine.kinds()}
	for _, a := range mine {
		f := a.props()
		f.Error = bad[a.Name]
		p.Fields = append(p.Fields, f)
	}
	if (len(bad) == 0 || bad[""] != "") && it.State == wire.ApprovalPending {
		p.Risk = h.risk(it, mine)
	}
	return p
}
