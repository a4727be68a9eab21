package admin

import (
	"context"
	"errors"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/names"
	views "gatehouse/views/admin"
	"gatehouse/views/dns"
)

// Names is what the console needs of the names of orders' servers; naming.Service has it.
type Names interface {
	Of(ctx context.Context, o order.Order) (naming.State, error)
	Check(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (naming.State, error)
	Make(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (naming.State, error)
}

// actOnName answers POST /admin/orders/:id/name: asks the name servers now, makes the records now, or takes another domain.
func (h *Handler) actOnName(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	o, err := h.Orders.Find(ctx, order.ID(v))
	if err != nil {
		return err
	}
	switch c.FormValue("act") {
	case "check":
		_, err = h.Names.Check(ctx, o.CustomerID, o.ID, actorOf(c))
		if errors.Is(err, naming.ErrSoon) {
			err = nil // the page shows what they said
		}
	case "make":
		_, err = h.Names.Make(ctx, o.CustomerID, o.ID, actorOf(c))
	case "rename":
		_, err = h.Orders.SetDomain(ctx, o.CustomerID, o.ID, c.FormValue("domain"), actorOf(c))
	default:
		err = errAct
	}
	if err != nil && web.Told(c, err).Fields["domain"] != "" {
		return h.showOrder(c, v, web.StatusOf(fault.Invalid), func(p *views.OrderPage) {
			p.Name.Domain, p.Name.Wrong = c.FormValue("domain"), web.Told(c, err).Fields["domain"]
		})
	}
	if err != nil {
		return err
	}
	return web.SeeOther(c, views.OrderPath(v))
}

// nameOf is the name of the order's server as who asks may see and change it.
func (h *Handler) nameOf(c echo.Context, o order.Order) (*dns.Props, error) {
	s, err := h.Names.Of(web.Context(c), o)
	if err != nil {
		return nil, err
	}
	p := names.Props(s, o.Domain)
	if p == nil {
		return nil, nil
	}
	p.Staff = true
	p.CanMake = !p.ByHand
	if may(c, staff.OrdersAct) {
		p.ActPath = views.OrderNamePath(string(o.ID))
	}
	return p, nil
}
