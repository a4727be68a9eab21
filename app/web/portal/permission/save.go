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

// saveRules answers POST /app/permissions: shows what the text would change, or puts it in force.
func (p *Pages) saveRules(c echo.Context) error {
	text := strings.ReplaceAll(c.FormValue("text"), "\r\n", "\n") // as the browser has it, and signs it
	props := views.Props{Text: text, Reason: c.FormValue("reason"), Edit: c.FormValue("id"), Sent: true}
	props.Version, _ = strconv.ParseInt(c.FormValue("base"), 10, 64) // one that is none is refused before it counts
	ctx := c.Request().Context()
	if c.FormValue("act") == "preview" {
		got, err := p.previewOf(ctx, frame.Customer(c), text)
		if err != nil {
			return p.rulesRefused(c, props, err)
		}
		props.Preview = got
		return p.showRules(c, http.StatusOK, props)
	}
	in, err := p.settingOf(c, text)
	if err == nil {
		_, err = p.Permissions.Set(ctx, frame.Customer(c), in)
	}
	if err == nil {
		return web.SeeOther(c, portal.Permissions)
	}
	return p.rulesRefused(c, props, err)
}

// rulesRefused shows what was sent, to be put right, and why it is not in force.
func (p *Pages) rulesRefused(c echo.Context, props views.Props, err error) error {
	f := fault.Of(err)
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
	return p.showRules(c, web.StatusOf(f.Kind), props)
}

func (p *Pages) settingOf(c echo.Context, text string) (wire.PermissionsSet, error) {
	base, err := strconv.ParseInt(c.FormValue("base"), 10, 64)
	if err != nil || uuid.Validate(c.FormValue("id")) != nil {
		return wire.PermissionsSet{}, fmt.Errorf("version of the form: %w", errForm)
	}
	sig, err := inbox.SignatureOf(c)
	return wire.PermissionsSet{
		ID: c.FormValue("id"), Base: base, Text: text, Reason: c.FormValue("reason"), By: frame.Origin(c), Signature: sig,
	}, err
}

// errForm refuses a form that was not made by this page.
var errForm = fault.New(fault.Malformed, "form-incomplete", "form lacks its hidden fields",
	"This form is incomplete. Nothing was changed; load the page again and repeat it.")

// closeWindow answers POST /app/permissions/windows/close.
func (p *Pages) closeWindow(c echo.Context) error {
	in := wire.WindowClose{ApprovalID: c.FormValue("approval"), By: inbox.Decider(c)}
	_, err := p.Permissions.Close(c.Request().Context(), frame.Customer(c), in)
	if err != nil {
		return err
	}
	return web.SeeOther(c, portal.Permissions+"#windows")
}
