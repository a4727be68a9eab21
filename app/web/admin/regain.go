package admin

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/regain"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/ui"
)

// Regain lets owners who lost everything back in; regain.Service does.
type Regain interface {
	Open(ctx context.Context, of account.CustomerID, r regain.Request, by audit.Actor) (regain.Case, error)
	Of(ctx context.Context, of account.CustomerID) ([]regain.Case, error)
	Confirm(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (regain.Case, error)
	Stop(ctx context.Context, of account.CustomerID, id string, by audit.Actor) error
}

// regainRoutes are those of owners who lost everything.
func (h *Handler) regainRoutes() []web.Route {
	route := func(method, path string, fresh bool, do echo.HandlerFunc) web.Route {
		return web.Route{
			Method: method, Path: views.CustomersPath + "/:id/regain" + path, For: web.Staff, Needs: staff.CustomersWrite,
			Fresh: fresh, Do: do,
		}
	}
	return []web.Route{
		route(http.MethodGet, "", false, h.regain),
		route(http.MethodPost, "", true, h.openRegain),
		route(http.MethodPost, "/:case/confirm", true, h.confirmRegain),
		route(http.MethodPost, "/:case/stop", false, h.stopRegain),
	}
}

// regain answers GET /admin/customers/:id/regain.
func (h *Handler) regain(c echo.Context) error { return h.showRegain(c, http.StatusOK, views.Regain{}) }

func (h *Handler) showRegain(c echo.Context, status int, p views.Regain) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	ctx, of := c.Request().Context(), account.CustomerID(v)
	customer, err := h.Accounts.Customer(ctx, of)
	if err != nil {
		return err
	}
	p.Customer, p.Name = v, customer.Name
	users, err := h.Accounts.Users(ctx, of)
	if err != nil {
		return err
	}
	for _, u := range users {
		if u.Role == account.Owner {
			p.Owners = append(p.Owners, ui.Option{Value: string(u.ID), Label: u.Name + " · " + u.Email})
		}
	}
	if err := h.regainCases(c, of, &p); err != nil {
		return err
	}
	f, err := h.frame(c, "regain.title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(p.Problems) > 0
	return web.Render(c, status, views.RegainPage(f, p))
}

// regainCases adds the cases, and whether the server has a key of the owner.
func (h *Handler) regainCases(c echo.Context, of account.CustomerID, p *views.Regain) error {
	cases, err := h.Regain.Of(c.Request().Context(), of)
	if err != nil {
		return err
	}
	for _, v := range cases {
		p.Running = p.Running || v.Running()
		p.Cases = append(p.Cases, views.RegainCase{
			ID: v.ID, Email: v.Email, OldEmail: v.OldEmail, Reason: v.Reason, Checked: v.Checked, State: string(v.State),
			Opened: v.OpenedName, Confirmed: v.ConfirmedName, At: v.OpenedAt, Due: v.Due, Ended: v.EndedAt, EndedBy: v.EndedBy,
			Own: v.OpenedBy == session.Of(c).StaffID,
		})
	}
	ring, err := h.Rings.Of(c.Request().Context(), of)
	if err != nil && fault.Of(err).Kind != fault.NotFound { // a server that is not there yet has no keys
		return err
	}
	for _, k := range ring.Keys {
		p.Enrolled = p.Enrolled || k.Holder == wire.HolderPerson
	}
	return nil
}

// Rings are the approver keys of customers' servers; approver.Service has them.
type Rings interface {
	Of(ctx context.Context, of account.CustomerID) (approver.Ring, error)
}

// openRegain answers POST /admin/customers/:id/regain.
func (h *Handler) openRegain(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	typed := map[string]string{}
	for _, name := range []string{"user", "email", "reason", "checked"} {
		typed[name] = c.FormValue(name)
	}
	_, err = h.Regain.Open(c.Request().Context(), account.CustomerID(v), regain.Request{
		UserID: account.UserID(typed["user"]), Email: typed["email"], Reason: typed["reason"], Checked: typed["checked"],
	}, actorOf(c))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return h.showRegain(c, http.StatusUnprocessableEntity, views.Regain{Typed: typed, Problems: f.Fields})
	}
	if err != nil {
		return err
	}
	said(c, "regain.now_opened")
	return web.SeeOther(c, views.RegainPath(v))
}

// confirmRegain answers POST /admin/customers/:id/regain/:case/confirm.
func (h *Handler) confirmRegain(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	if _, err := h.Regain.Confirm(c.Request().Context(), account.CustomerID(v), c.Param("case"), actorOf(c)); err != nil {
		return err
	}
	said(c, "regain.now_confirmed")
	return web.SeeOther(c, views.RegainPath(v))
}

// stopRegain answers POST /admin/customers/:id/regain/:case/stop.
func (h *Handler) stopRegain(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	if err := h.Regain.Stop(c.Request().Context(), account.CustomerID(v), c.Param("case"), actorOf(c)); err != nil {
		return err
	}
	said(c, "regain.now_stopped")
	return web.SeeOther(c, views.RegainPath(v))
}
