package server

import (
	"context"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/portal"
	"gatehouse/views/sshkey"
)

// Orders keeps the owner's own SSH key until the server is set up; order.Service does.
type Orders interface {
	KeyOrder(ctx context.Context, of account.CustomerID) (order.Order, error)
	SetAdminKey(ctx context.Context, of account.CustomerID, typed string, by audit.Actor) (order.Order, error)
}

// adminKeyRoute takes another key. It lets somebody sign in to the machine, so it wants a fresh sign-in.
func (p *Pages) adminKeyRoute() web.Route {
	r := frame.Post(sshkey.Path, account.Manage, p.setAdminKey)
	r.Fresh = true
	r.Keep = func(c echo.Context) string {
		if typed := c.FormValue("admin_key"); !order.IsPrivateKey(typed) {
			return typed
		}
		return ""
	}
	return r
}

// adminKey says how it stands with the key, beside what was typed.
func (p *Pages) adminKey(c echo.Context, typed sshkey.Props) (sshkey.Props, error) {
	o, err := p.Orders.KeyOrder(c.Request().Context(), frame.Customer(c))
	if err != nil {
		if fault.Of(err).Kind == fault.NotFound {
			err = nil
		}
		return typed, err
	}
	typed.Shown, typed.Fingerprint, typed.Open = true, o.AdminPrint(), o.Keyable()
	typed.Owner = session.Of(c).Rights().May(account.Manage)
	return typed, nil
}

// setAdminKey answers POST /app/server/ssh-key.
func (p *Pages) setAdminKey(c echo.Context) error {
	typed := c.FormValue("admin_key")
	_, err := p.Orders.SetAdminKey(c.Request().Context(), frame.Customer(c), typed, actor(c))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		again := sshkey.Props{Typed: typed, Problem: f.Fields["admin_key"]}
		if order.IsPrivateKey(typed) {
			again.Typed = ""
		}
		return p.show(c, web.StatusOf(f.Kind), again)
	}
	if err != nil {
		return err
	}
	frame.Said(c, "ssh.kept")
	return web.SeeOther(c, portal.Server)
}
