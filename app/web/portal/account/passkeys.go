package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/passkey"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	views "gatehouse/views/portal/account"
	"gatehouse/views/ui"
)

// passkeyRoutes are the forms of passkeys for signing in. Each asks for a sign-in of the last ten minutes.
func (p *Pages) passkeyRoutes() []web.Route {
	post := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: web.Customer, Right: account.Look, Fresh: true, Do: do}
	}
	return []web.Route{
		post(views.PasskeyBeginPath, p.beginPasskey),
		post(views.PasskeyAddPath, p.addPasskey),
		post(views.PasskeyRenamePath, p.renamePasskey),
		post(views.PasskeyRemovePath, p.removePasskey),
	}
}

// owner is whose passkeys the reader's are.
func owner(c echo.Context) passkey.Owner {
	who := session.Of(c)
	return passkey.Owner{Kind: passkey.User, ID: who.UserID, CustomerID: who.CustomerID, Email: who.Email, Name: who.Name}
}

// passkeys are the reader's.
func (p *Pages) passkeys(c echo.Context) (ui.PasskeyList, error) {
	l := ui.PasskeyList{
		Offered: p.Passkeys.Offered(), Begin: views.PasskeyBeginPath, Add: views.PasskeyAddPath,
		Rename: views.PasskeyRenamePath, Remove: views.PasskeyRemovePath,
	}
	all, err := p.Passkeys.Of(c.Request().Context(), owner(c))
	for _, k := range all {
		l.Items = append(l.Items, ui.PasskeyItem{ID: k.ID, Name: k.Name, Created: k.CreatedAt, Used: k.UsedAt})
	}
	return l, err
}

// beginPasskey answers POST /app/settings/sign-in/passkey-begin, which the script sends.
func (p *Pages) beginPasskey(c echo.Context) error {
	asked, err := p.Passkeys.BeginAdd(c.Request().Context(), owner(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, asked)
}

// addPasskey answers POST /app/settings/sign-in/passkey-add.
func (p *Pages) addPasskey(c echo.Context) error {
	ctx := c.Request().Context()
	k, err := p.Passkeys.FinishAdd(ctx, owner(c), c.FormValue("challenge"), c.FormValue("name"), c.FormValue("answer"), actor(c))
	switch f := web.Told(c, err); {
	case err == nil:
		frame.Said(c, "passkey.said.added", "name", k.Name)
	case f.Kind == fault.Unauthorized || f.Kind == fault.Conflict:
		web.Flash(c, "bad", f.Public)
	default:
		return err
	}
	return web.SeeOther(c, views.SignInsPath)
}

// renamePasskey answers POST /app/settings/sign-in/passkey-rename.
func (p *Pages) renamePasskey(c echo.Context) error {
	name, err := p.Passkeys.Rename(c.Request().Context(), owner(c), c.FormValue("id"), c.FormValue("name"), actor(c))
	if err != nil {
		return err
	}
	frame.Said(c, "passkey.said.renamed", "name", name)
	return web.SeeOther(c, views.SignInsPath)
}

// removePasskey answers POST /app/settings/sign-in/passkey-remove.
func (p *Pages) removePasskey(c echo.Context) error {
	if err := p.Passkeys.Remove(c.Request().Context(), owner(c), c.FormValue("id"), actor(c)); err != nil {
		return err
	}
	frame.Said(c, "passkey.said.removed")
	return web.SeeOther(c, views.SignInsPath)
}
