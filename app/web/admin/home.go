package admin

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/attention"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
)

// Needs counts what waits for a person; attention.Service does.
type Needs interface {
	Counts(ctx context.Context) (attention.Counts, error)
}

// home answers GET /admin: what needs one of us now.
func (h *Handler) home(c echo.Context) error {
	p, err := h.homeProps(c)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.HomePage(Frame(c, "admin.home.title", views.StreamOf(topicHome, ""), p.Pending), p))
}

// few is how many orders of a kind stand on the first page; the list has the others.
const few = 5

func (h *Handler) homeProps(c echo.Context) (p views.Home, err error) {
	ctx := c.Request().Context()
	if p.Pending, err = h.Inbox.PendingAll(ctx); err != nil {
		return p, err
	}
	n, err := h.Needs.Counts(ctx)
	if err != nil {
		return p, err
	}
	p.Customers, p.Servers, p.Needs = n.Customers, n.Servers, needsOf(c, n)
	if p.Failed, err = h.newestOrders(ctx, order.Failed); err != nil {
		return p, err
	}
	p.Underway, err = h.newestOrders(ctx, order.Open)
	return p, err
}

func (h *Handler) newestOrders(ctx context.Context, state order.State) (all []views.Order, err error) {
	of, err := h.Orders.List(ctx, order.Filter{State: state}, page.Ask{Limit: few})
	for _, o := range of.Items {
		all = append(all, orderProps(o))
	}
	return all, err
}

// needsOf are what the reader may look into.
func needsOf(c echo.Context, n attention.Counts) (all []views.Need) {
	for _, need := range n.Needs(func(p staff.Permission) bool { return may(c, p) }) {
		all = append(all, views.Need{Name: need.Name, Count: need.Count})
	}
	return all
}
