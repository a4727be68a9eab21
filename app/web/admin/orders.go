package admin

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
	"gatehouse/app/takeout"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// orderFilters are the filters of the orders, as their address names them.
var orderFilters = []string{"state", "mode", "provider", "region", "plan", "from", "to", "sort"}

// orderFilter is what the orders are narrowed to and sorted by; days are those of zone.
func orderFilter(get func(string) string, zone *time.Location) (order.Filter, error) {
	f := order.Filter{
		State: order.State(get("state")), Mode: order.Mode(get("mode")), Provider: get("provider"), Region: order.Region(get("region")),
		Plan: get("plan"), Sort: get("sort"),
	}
	var err error
	f.From, f.To, err = page.Days(get("from"), get("to"), zone)
	return f, err
}

// orders answers GET /admin/orders.
func (h *Handler) orders(c echo.Context) error {
	w, err := wantedBy(c, page.Ask.CleanSorted, orderFilters...)
	if err != nil {
		return err
	}
	l, err := h.orderList(c.Request().Context(), w, session.Of(c).Zone(), may(c, staff.OrdersAct))
	if err != nil {
		return err
	}
	return h.list(c, "admin.orders.title", topicOrders, views.OrderTable(web.Context(c), l), func(f layout.Frame) templ.Component {
		return views.OrdersPage(f, l)
	})
}

func (h *Handler) orderList(ctx context.Context, w wanted, zone *time.Location, export bool) (views.Orders, error) {
	f, err := orderFilter(func(name string) string { return w.narrow[name] }, zone)
	if err != nil {
		return views.Orders{}, err
	}
	of, err := h.Orders.List(ctx, f, w.Ask)
	l := views.Orders{
		List: listed(w, views.OrdersPath, of, orderProps),
		Mode: string(f.Mode), Provider: f.Provider, Region: string(f.Region), Plan: f.Plan,
		From: w.narrow["from"], To: w.narrow["to"], Sort: f.Sort, Query: w.query(""), Export: export, Most: takeout.Most,
		Providers: []string{order.Usual, "local", "pool"},
	}
	for _, s := range order.States() {
		l.States = append(l.States, string(s))
	}
	for _, p := range pricing.Plans() {
		l.Plans = append(l.Plans, ui.Option{Value: string(p.ID), Label: p.Name})
	}
	return l, err
}

// exportOrders answers POST /admin/orders/export: the orders as CSV, as they are narrowed.
func (h *Handler) exportOrders(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	f, err := orderFilter(form.Get, session.Of(c).Zone())
	if err != nil {
		return err
	}
	if _, err := f.Clean(); err != nil {
		return err
	}
	ask, err := page.Ask{Search: form.Get("q")}.CleanSorted()
	if err != nil {
		return err
	}
	if err := h.Exports.Begin(c.Request().Context(), actorOf(c), "order.export", searched(form)); err != nil {
		return err
	}
	t := newTable(c, "orders", h.Now(), orderColumns)
	list := func(ctx context.Context, ask page.Ask) (page.Of[order.Order], error) {
		return h.Orders.List(ctx, f, ask)
	}
	return takeout.All(c.Request().Context(), ask, list, func(some []order.Order) error { return write(t, some, orderCells) })
}

// searched says by what orders were narrowed for an export. What was searched for may be a name, so only that something was is kept.
func searched(form url.Values) map[string]string {
	said := narrowed(form, orderFilters)
	if form.Get("q") != "" {
		said["q"] = "yes"
	}
	return said
}

// narrowed are the values of a form by which a list is narrowed.
func narrowed(form url.Values, names []string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		all[name] = form.Get(name)
	}
	return all
}

var orderColumns = []string{
	"number", "id", "ordered", "changed", "fulfilled", "customer_id", "customer", "server", "plan",
	"cents_a_month", "currency", "region", "provider", "mode", "state", "failed_step", "reason",
}

func orderCells(o order.Order) []string {
	return []string{
		strconv.FormatInt(o.Number, 10), string(o.ID), cellTime(o.CreatedAt), cellTime(o.UpdatedAt), cellTime(o.FulfilledAt),
		string(o.CustomerID), o.CustomerName, o.Slug, string(o.Plan), strconv.FormatInt(int64(o.Price), 10), o.Currency, string(o.Region),
		o.Provider, string(o.Mode),
		string(o.State), string(o.FailedStep), o.Reason,
	}
}

// cellTime is a moment in a cell; one that has not come is empty.
func cellTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// orderExport is the route of the export.
func (h *Handler) orderExport() web.Route {
	return web.Route{
		Method: http.MethodPost, Path: views.OrderExportPath, For: web.Staff, Needs: staff.OrdersAct, Stream: true, Do: h.exportOrders,
	}
}
