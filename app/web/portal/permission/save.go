package permission

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/permission"
)

// saveText answers POST /app/permissions/yaml: shows what the text would change, shows it as sentences, or puts it in force.
func (p *Pages) saveText(c echo.Context) error {
	sent := sentProps(c)
	switch c.FormValue("act") {
	case "save":
		sent.AsText = true
		return p.putInForce(c, sent)
	case "rules":
		return p.showAsRows(c, sent)
	}
	return p.showText(c, sent, nil)
}

// showAsRows shows a text as rows, or says why it cannot be.
func (p *Pages) showAsRows(c echo.Context, props views.Props) error {
	d := readDraft(props.Text)
	if d.settle(); d.stuck != nil {
		return p.showText(c, props, d.stuck)
	}
	props.Rules = p.rulesProps(c, d)
	return p.showDraft(c, http.StatusOK, d, props)
}

// sentProps is what a form of the rules brought, whatever becomes of it.
func sentProps(c echo.Context) views.Props {
	text := strings.ReplaceAll(c.FormValue("text"), "\r\n", "\n") // as the browser has it, and signs it
	props := views.Props{Text: text, Reason: c.FormValue("reason"), Edit: c.FormValue("id"), Sent: true}
	props.Version, _ = strconv.ParseInt(c.FormValue("base"), 10, 64) // one that is none is refused before it counts
	return props
}

// putInForce saves the rules.
func (p *Pages) putInForce(c echo.Context, props views.Props) error {
	var now wire.Permissions
	in, err := p.settingOf(c, props)
	if err == nil {
		now, err = p.Permissions.Set(c.Request().Context(), frame.Customer(c), in)
	}
	if err != nil {
		return p.rulesRefused(c, props, err)
	}
	saidRules(c, now)
	if props.AsText {
		return web.SeeOther(c, views.TextPath)
	}
	return web.SeeOther(c, portal.Permissions)
}

// rulesRefused shows what was sent, to be put right, and why it is not in force.
func (p *Pages) rulesRefused(c echo.Context, props views.Props, err error) error {
	f := web.Told(c, err)
	switch f.Kind {
	case fault.Invalid:
		props.Problems = web.ProblemsAt("text", f)
	case fault.Conflict, fault.Forbidden, fault.Malformed:
		props.Refused, props.Unsigned = f.Public, f.Kind == fault.Forbidden
	case fault.Away:
		props.Refused = i18n.T(web.Context(c), "permission.no_answer")
	default:
		return err
	}
	return p.answer(c, web.StatusOf(f.Kind), props)
}

func (p *Pages) settingOf(c echo.Context, props views.Props) (wire.PermissionsSet, error) {
	base, err := strconv.ParseInt(c.FormValue("base"), 10, 64)
	if err != nil || uuid.Validate(c.FormValue("id")) != nil {
		return wire.PermissionsSet{}, fmt.Errorf("version of the form: %w", errForm)
	}
	sig, err := inbox.SignatureOf(c)
	return wire.PermissionsSet{
		ID: c.FormValue("id"), Base: base, Text: props.Text, Reason: props.Reason, By: frame.Origin(c), Signature: sig,
	}, err
}

// errForm refuses a form that was not made by this page.
var errForm = fault.New(fault.Malformed, "form-incomplete", "form lacks its hidden fields",
	"This form is incomplete. Nothing was changed. Reload the page and try again.")

// closeWindow answers POST /app/permissions/windows/close.
func (p *Pages) closeWindow(c echo.Context) error {
	in := wire.WindowClose{ApprovalID: c.FormValue("approval"), By: inbox.Decider(c)}
	_, err := p.Permissions.Close(c.Request().Context(), frame.Customer(c), in)
	if err != nil {
		return err
	}
	frame.Said(c, "permission.window.now_closed")
	return web.SeeOther(c, portal.Permissions+"#windows")
}
