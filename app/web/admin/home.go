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
	p.Customers, p.Servers, p.Needs = n.Customers, n.Servers, needsOf(n, func(need staff.Permission) bool { return may(c, need) })
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

// needsOf are the figures that are not zero and that the reader may look into, the most urgent first.
func needsOf(n attention.Counts, may func(staff.Permission) bool) (all []views.Need) {
	for _, k := range []struct {
		name  string
		needs staff.Permission
		count int
		shown bool
	}{
		{"failed", staff.OrdersRead, n.Failed, n.Failed > 0},
		{"late", staff.OrdersRead, n.Late, n.Late > 0},
		{"offline", staff.ServersRead, n.Offline, n.Offline > 0},
		{"held", staff.ServersRead, n.Held, n.Held > 0},
		{"dead", staff.JobsManage, n.Dead, n.Dead > 0},
		{"manual", staff.OrdersRead, n.Manual, n.Manual > 0},
		{"degraded", staff.ServersRead, n.Degraded, n.Degraded > 0},
		{"empty", staff.PoolManage, n.Free, n.Empty()},
		{"hands", staff.PoolManage, n.Hands, n.Hands > 0},
		{"retried", staff.JobsManage, n.Retried, n.Retried > 0},
		{"expiring", staff.ApprovalsRead, n.Expiring, n.Expiring > 0},
		{"seller", staff.BillingRead, 1, n.NoSeller},
		{"rate", staff.BillingRead, 1, n.NoRate},
		{"unbilled", staff.BillingRead, n.Unbilled, n.Unbilled > 0},
		{"overdue", staff.BillingRead, n.Overdue, n.Overdue > 0},
		{"ran_out", staff.StaffManage, n.RanOut, n.RanOut > 0},
	} {
		if k.shown && may(k.needs) {
			all = append(all, views.Need{Name: k.name, Count: k.count})
		}
	}
	return all
}
