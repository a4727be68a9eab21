package admin

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/app/order"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
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
	p := views.OrderPage{Order: orderProps(o), Stages: stages(ctx, o, events), Lines: lines(ctx, events), Acts: h.acts(ctx, o), LookOnly: !may(c,
		staff.OrdersAct), Live: true}
	return p, last, h.addSetup(ctx, o, &p)
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
