package admin

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/firsttask"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
)

var errAct = fault.New(fault.Invalid, "act", "unknown act on an order", "You cannot do that with an order. Nothing was changed.")

// order answers GET /admin/orders/:id.
func (h *Handler) order(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	return h.showOrder(c, v, http.StatusOK, nil)
}

// showOrder shows the page of an order, after change has changed what it shows of the server's name, if there is one.
func (h *Handler) showOrder(c echo.Context, v string, status int, change func(*views.OrderPage)) error {
	p, err := h.orderPage(c, order.ID(v))
	if err != nil {
		return err
	}
	if err := h.addLog(c, &p); err != nil {
		return err
	}
	if err := h.addTeam(web.Context(c), &p); err != nil {
		return err
	}
	if change != nil && p.Name != nil {
		change(&p)
	}
	topic, about := topicOrder, v
	if !p.Live { // an old or narrowed log stays as it is
		topic, about = "", ""
	}
	f, err := h.frame(c, "admin.orders.title", topic, about)
	if err != nil {
		return err
	}
	if p.Live {
		f.Stream += "&after=" + strconv.FormatInt(p.Last(), 10)
	}
	f.Title = i18n.T(web.Context(c), "admin.orders.number", "n", strconv.FormatInt(p.Number, 10))
	return web.Render(c, status, views.Detail(f, p))
}

// orderPage is an order with its history and what who asks may do with it, without its log.
func (h *Handler) orderPage(c echo.Context, id order.ID) (views.OrderPage, error) {
	ctx := web.Context(c)
	o, err := h.Orders.Find(ctx, id)
	if err != nil {
		return views.OrderPage{}, err
	}
	events, err := h.Orders.Events(ctx, o.CustomerID, o.ID, 0)
	if err != nil {
		return views.OrderPage{}, err
	}
	p := views.OrderPage{
		Order: orderProps(o), Stages: stages(ctx, o, events), Acts: h.acts(ctx, o), LookOnly: !may(c, staff.OrdersAct),
		Late: h.Orders.Late(o), EndReason: string(o.EndReason), ReleaseAt: o.ReleaseAt,
		Standing: string(o.Standing), Replaces: string(o.Replaces), ServerID: o.ServerID,
	}
	p.Order.Business = firsttask.KindName(ctx, o.BusinessType)
	if p.Name, err = h.nameOf(c, o); err != nil {
		return views.OrderPage{}, err
	}
	return p, h.addSetup(ctx, o, &p)
}

// addSetup adds where the order's server is set up, and how far that is.
func (h *Handler) addSetup(ctx context.Context, o order.Order, p *views.OrderPage) error {
	if o.ServerID == "" {
		return nil
	}
	s, err := h.Servers.Find(ctx, server.ID(o.ServerID))
	if err != nil {
		return err
	}
	p.Provider = s.Provider
	notes, err := h.Setups.Notes(ctx, o.ServerID)
	if err != nil {
		return err
	}
	for _, n := range notes {
		step := views.SetupStep{Name: n.Step, State: string(n.State), Note: n.Text}
		if !n.Ended.IsZero() {
			step.Took = n.Ended.Sub(n.Started)
		}
		p.Steps = append(p.Steps, step)
	}
	return nil
}

// act answers POST /admin/orders/:id/act.
func (h *Handler) act(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	o, err := h.Orders.Find(ctx, order.ID(v))
	if err != nil {
		return err
	}
	now, err := h.Orders.Do(ctx, o.CustomerID, o.ID, order.Act{
		Name: c.FormValue("act"), Reason: order.EndReason(c.FormValue("reason")), Provider: c.FormValue("provider"),
	}, actorOf(c))
	if err != nil {
		return err
	}
	return web.SeeOther(c, views.OrderPath(string(now.ID)))
}
