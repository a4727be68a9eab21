package admin

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
)

var (
	errAct  = fault.New(fault.Invalid, "act", "unknown act on an order", "That cannot be done with an order. Nothing was changed.")
	errRole = fault.New(fault.Forbidden, "role", "role does not change orders", "Your role may look at orders; a manager, an admin or an owner can change them. Nothing was changed.")
)

// order answers GET /admin/orders/:id.
func (h *Handler) order(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	p, last, err := h.orderPage(c, order.ID(v))
	if err != nil {
		return err
	}
	f, err := h.frame(c, "admin.orders.title", topicOrder, v)
	if err != nil {
		return err
	}
	f.Stream += "&after=" + strconv.FormatInt(last, 10)
	f.Title = i18n.T(web.Context(c), "admin.orders.number", "n", strconv.FormatInt(p.Number, 10))
	return web.Render(c, http.StatusOK, views.Detail(f, p))
}

// orderPage is an order with its whole history and what who asks may do with it, and the id of its last event.
func (h *Handler) orderPage(c echo.Context, id order.ID) (views.OrderPage, int64, error) {
	ctx := web.Context(c)
	o, err := h.Orders.Find(ctx, id)
	if err != nil {
		return views.OrderPage{}, 0, err
	}
	events, err := h.history(ctx, o)
	if err != nil {
		return views.OrderPage{}, 0, err
	}
	last := int64(0)
	if len(events) > 0 {
		last = events[len(events)-1].ID
	}
	return views.OrderPage{Order: orderProps(o), Stages: stages(ctx, o, events), Lines: lines(events), Acts: acts(o), LookOnly: !changesOrders(c), Live: true}, last, nil
}

// changesOrders says whether who asks may change orders.
func changesOrders(c echo.Context) bool { return staff.Role(session.Of(c).Role).ChangesOrders() }

// maxLines is the most of a log that one page holds.
const maxLines = 5000

func (h *Handler) history(ctx context.Context, o order.Order) ([]order.Event, error) {
	var all []order.Event
	for after := int64(0); len(all) < maxLines; {
		some, err := h.Orders.Events(ctx, o.CustomerID, o.ID, after)
		if err != nil || len(some) == 0 {
			return all, err
		}
		all = append(all, some...)
		after = some[len(some)-1].ID
	}
	return all, nil
}

// act answers POST /admin/orders/:id/act.
func (h *Handler) act(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	if !changesOrders(c) {
		return errRole
	}
	ctx := c.Request().Context()
	o, err := h.Orders.Find(ctx, order.ID(v))
	if err != nil {
		return err
	}
	if err := h.do(ctx, o.CustomerID, o.ID, c.FormValue("act"), actorOf(c)); err != nil {
		return err
	}
	return web.SeeOther(c, views.OrderPath(v))
}

func (h *Handler) do(ctx context.Context, of account.CustomerID, id order.ID, act string, by audit.Actor) (err error) {
	switch act {
	case "retry":
		_, err = h.Orders.Retry(ctx, of, id, by)
	case "cancel":
		_, err = h.Orders.Cancel(ctx, of, id, by)
	case "press":
		_, err = h.Orders.Press(ctx, of, id, by)
	case "auto":
		_, err = h.Orders.SetMode(ctx, of, id, order.Auto, by)
	case "manual":
		_, err = h.Orders.SetMode(ctx, of, id, order.Manual, by)
	default:
		return errAct
	}
	return err
}
