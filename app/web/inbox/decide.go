package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/session"
	"gatehouse/views/ui"

	views "gatehouse/views/inbox"
)

// decide answers POST /app/approvals/:id: the decided card to htmx, a 303 to its page to a plain form.
func (h *Inbox) decide(c echo.Context) error {
	before, err := h.find(c)
	if err != nil {
		return err
	}
	ans, err := answerOf(c)
	if err != nil {
		return err
	}
	if err := h.mayAnswer(c, ans); err != nil {
		return h.refused(c, err)
	}
	if err := h.proven(c, before, ans); err != nil {
		return h.refused(c, err)
	}
	after, err := h.settle(c.Request().Context(), customer(c), before.ID, ans)
	if err != nil {
		return h.refused(c, err)
	}
	after.Approval = card.WithContents(after.Approval, before.Approval)
	p := card.OfItem(web.Context(c), after, h.look(web.Context(c), after.CustomerID, nil))
	p.Focus = true
	return web.Swap(c, views.OnePath(h.Base, after.ID), views.Card(p, modeOf(c)))
}

// settle records the answer, as the customer's or as that of staff.
func (h *Inbox) settle(ctx context.Context, of account.CustomerID, id string, ans approval.Answer) (approval.Item, error) {
	if h.staff() {
		return h.Store.DecideAny(ctx, id, ans)
	}
	return h.Store.Decide(ctx, of, id, ans)
}

// answerOf reads what a person answered, and who answered from where.
func answerOf(c echo.Context) (approval.Answer, error) {
	ans := approval.Answer{
		Verb: wire.Verb(c.FormValue("decision")), Reason: c.FormValue("reason"), Digest: c.FormValue("digest"),
		By: Decider(c), Staff: staffRole(c),
	}
	if ans.Digest == "" {
		return ans, errNoDigest
	}
	var err error
	if ans.Signature, err = SignatureOf(c); err != nil {
		return ans, err
	}
	if scope := c.FormValue("scope"); scope != "" {
		ans.Scope = json.RawMessage(scope)
	}
	if ans.Verb != wire.AllowWindow {
		return ans, nil
	}
	minutes, err := strconv.Atoi(c.FormValue("minutes"))
	if err != nil {
		return ans, fault.Bad(map[string]string{"minutes": "Choose for how long."})
	}
	ans.Minutes = minutes
	return ans, nil
}

// SignatureOf reads the signature that the script has put into a form; nil when there is none.
func SignatureOf(c echo.Context) (*wire.Signature, error) {
	text := c.FormValue("signature")
	if text == "" {
		return nil, nil
	}
	var s wire.Signature
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, fmt.Errorf("%w: %w", errSignature, err)
	}
	return &s, nil
}

// errSignature refuses a form whose signature no script of ours has made.
var errSignature = fault.New(fault.Malformed, "signature-unreadable", "signature cannot be read",
	"The signature could not be read. Nothing was changed. Reload the page and try again.")

// errNoDigest refuses an answer that does not say what the person saw.
var errNoDigest = fault.New(fault.Invalid, "no-digest", "answer without the digest of what was shown",
	"This form is incomplete. Nothing was decided. Reload the page and try again.")

// Decider is who answers, for the receipt.
func Decider(c echo.Context) wire.DecidedBy {
	who := session.Of(c)
	by := wire.DecidedBy{
		UserID: who.UserID, Name: who.Email, Role: who.Role, Channel: "portal", Address: c.RealIP(), Method: who.Method,
	}
	if who.IsStaff() {
		by.UserID, by.Name, by.Role, by.Channel = who.StaffID, "staff", "staff", "admin"
	}
	return by
}

// staffRole is the role of one of our staff who answers; "" for customers.
func staffRole(c echo.Context) staff.Role {
	if who := session.Of(c); who.IsStaff() {
		return staff.Role(who.Role)
	}
	return ""
}

// modeOf is how close together the card stands that is answered for.
func modeOf(c echo.Context) ui.Mode {
	if c.FormValue("mode") == string(ui.Inline) {
		return ui.Inline
	}
	return ui.Full
}

// refused shows the approval as it stands now, with the reason why the answer was not taken. What is no fault of the
// answer goes to the error page.
func (h *Inbox) refused(c echo.Context, err error) error {
	f := fault.Of(err)
	if f.Kind != fault.Conflict && f.Kind != fault.Invalid && f.Kind != fault.Forbidden {
		return err
	}
	it, findErr := h.find(c)
	if findErr != nil {
		return errors.Join(err, findErr)
	}
	words := conflictWords(web.Context(c), err)
	status := web.StatusOf(f.Kind)
	if !web.IsPartial(c) {
		return h.show(c, status, it, words)
	}
	may, err := h.leave(c)
	if err != nil {
		return err
	}
	p := h.card(c.Request().Context(), it, may)
	p.Conflict, p.Focus = words, true
	return web.Render(c, status, views.Card(p, modeOf(c)))
}
