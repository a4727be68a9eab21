package inbox

import (
	"encoding/json"
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
	return h.showEdit(c, http.StatusOK, it, draftOf(it.Args), nil)
}

// saveEdit answers POST /app/approvals/:id/edit: the comparison when asked for it, else the edited call is allowed.
func (h *Inbox) saveEdit(c echo.Context) error {
	it, err := h.find(c)
	if err != nil {
		return err
	}
	if it.State != wire.ApprovalPending {
		return h.show(c, http.StatusConflict, it, conflictWords(web.Context(c), decidedAlready(it)))
	}
	mine, bad := typed(c, it.Args)
	if c.FormValue("decision") == "compare" || web.IsPartial(c) {
		return h.compare(c, it, mine, bad)
	}
	if len(bad) == 0 && !mine.changed() {
		bad = map[string]string{"": i18n.T(web.Context(c), "inbox.edit.unchanged")}
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
	id := after.ID
	if after.State == wire.ApprovalSuperseded && after.Next != "" {
		id = after.Next
	}
	return web.SeeOther(c, views.OnePath(h.Base, id))
}

// editRefused shows what was typed again, or the approval when it is no longer open.
func (h *Inbox) editRefused(c echo.Context, it approval.Item, mine draft, err error) error {
	f := fault.Of(err)
	if f.Kind == fault.Conflict {
		return h.refused(c, err)
	}
	if f.Kind != fault.Invalid && f.Kind != fault.Forbidden {
		return err
	}
	return h.showEdit(c, http.StatusUnprocessableEntity, it, mine, map[string]string{"": conflictWords(web.Context(c), err)})
}

func (h *Inbox) showEdit(c echo.Context, status int, it approval.Item, mine draft, bad map[string]string) error {
	frame, err := h.Frame(c, i18n.T(web.Context(c), "inbox.edit_title"), h.streamOf("approval&id="+it.ID))
	if err != nil {
		return err
	}
	frame.Failed = len(bad) > 0
	return web.Render(c, status, views.EditPage(frame, h.editProps(it, mine, bad)))
}

func (h *Inbox) compare(c echo.Context, it approval.Item, mine draft, bad map[string]string) error {
	p := h.editProps(it, mine, bad)
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, views.Comparison(p))
	}
	return h.showEdit(c, http.StatusOK, it, mine, bad)
}

func (h *Inbox) editProps(it approval.Item, mine draft, bad map[string]string) views.EditProps {
	p := views.EditProps{Card: card.OfItem(it, h.look(it.CustomerID)), General: bad[""], Kinds: mine.kinds()}
	for _, a := range mine {
		f := a.props()
		f.Error = bad[a.Name]
		p.Fields = append(p.Fields, f)
	}
	if len(bad) == 0 {
		p.Risk = h.risk(it, mine)
	}
	return p
}
