package admin

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/passkey"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/ui"
)

// passkeyRoutes are the forms of passkeys for signing in. Each asks for a sign-in of the last ten minutes.
func (h *Handler) passkeyRoutes() []web.Route {
	post := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: web.Staff, Needs: staff.Own, Fresh: true, Do: do}
	}
	return []web.Route{
		post(views.PasskeyBeginPath, h.beginPasskey),
		post(views.PasskeyAddPath, h.addPasskey),
		post(views.PasskeyRenamePath, h.renamePasskey),
		post(views.PasskeyRemovePath, h.removePasskey),
	}
}

// owner is whose passkeys the reader's are.
func owner(c echo.Context) passkey.Owner {
	who := session.Of(c)
	return passkey.Owner{Kind: passkey.Staff, ID: who.StaffID, Email: who.Email, Name: who.Name}
}

// passkeys are the reader's.
func (h *Handler) passkeys(c echo.Context) (ui.PasskeyList, error) {
	l := ui.PasskeyList{
		Offered: h.Passkeys.Offered(), Begin: views.PasskeyBeginPath, Add: views.PasskeyAddPath,
		Rename: views.PasskeyRenamePath, Remove: views.PasskeyRemovePath,
	}
	all, err := h.Passkeys.Of(c.Request().Context(), owner(c))
	for _, k := range all {
		l.Items = append(l.Items, ui.PasskeyItem{ID: k.ID, Name: k.Name, Created: k.CreatedAt, Used: k.UsedAt})
	}
	return l, err
}

// beginPasskey answers POST /admin/profile/passkey-begin, which the script sends.
func (h *Handler) beginPasskey(c echo.Context) error {
	asked, err := h.Passkeys.BeginAdd(c.Request().Context(), owner(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, asked)
}

// addPasskey answers POST /admin/profile/passkey-add.
func (h *Handler) addPasskey(c echo.Context) error {
	ctx := c.Request().Context()
	k, err := h.Passkeys.FinishAdd(ctx, owner(c), c.FormValue("challenge"), c.FormValue("name"), c.FormValue("answer"), actorOf(c))
	switch f := web.Told(c, err); {
	case err == nil:
		said(c, "passkey.said.added", "name", k.Name)
	case f.Kind == fault.Unauthorized || f.Kind == fault.Conflict:
		web.Flash(c, "bad", f.Public)
	default:
		return err
	}
	return web.SeeOther(c, views.ProfilePath)
}

// renamePasskey answers POST /admin/profile/passkey-rename.
func (h *Handler) renamePasskey(c echo.Context) error {
	name, err := h.Passkeys.Rename(c.Request().Context(), owner(c), c.FormValue("id"), c.FormValue("name"), actorOf(c))
	if err != nil {
		return err
	}
	said(c, "passkey.said.renamed", "name", name)
	return web.SeeOther(c, views.ProfilePath)
}

// removePasskey answers POST /admin/profile/passkey-remove.
func (h *Handler) removePasskey(c echo.Context) error {
	if err := h.Passkeys.Remove(c.Request().Context(), owner(c), c.FormValue("id"), actorOf(c)); err != nil {
		return err
	}
	said(c, "passkey.said.removed")
	return web.SeeOther(c, views.ProfilePath)
}
