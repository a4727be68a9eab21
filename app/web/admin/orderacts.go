package admin

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"gatehouse/app/order"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
)

// acts is what may be done with an order now.
func (h *Handler) acts(ctx context.Context, o order.Order) []views.Act {
	var all []views.Act
	if o.Can("press") {
		all = append(all, views.Act{Name: "press", Kind: "primary"})
	}
	if o.Can("retry") {
		all = append(all, views.Act{Name: "retry", Kind: "primary"})
	}
	if o.State.OnPath() {
		mode := "manual"
		if o.Mode == order.Manual {
			mode = "auto"
		}
		all = append(all, views.Act{Name: mode})
	}
	if others := h.otherProviders(o); o.Can("provider") && len(others) > 0 {
		all = append(all, views.Act{Name: "provider", Confirm: true, Field: views.ProviderField(ctx, others, false)})
	}
	return append(all, h.endActs(ctx, o)...)
}

// endActs are the ways in which an order ends, or does not after all.
func (h *Handler) endActs(ctx context.Context, o order.Order) []views.Act {
	var all []views.Act
	if o.Can("keep") {
		all = append(all, views.Act{Name: "keep", Kind: "primary"})
	}
	if o.Can("replace") {
		all = append(all, views.Act{Name: "replace", Confirm: true, Field: views.ProviderField(ctx, h.places(), true)})
	}
	if o.Can("end") {
		var reasons []string
		for _, r := range order.EndReasons() {
			reasons = append(reasons, string(r))
		}
		all = append(all, views.Act{Name: "end", Kind: "danger", Confirm: true, Field: views.ReasonField(ctx, reasons)})
	}
	for _, name := range []string{"cancel", "stop"} {
		if o.Can(name) {
			all = append(all, views.Act{Name: name, Kind: "danger", Confirm: true})
		}
	}
	return all
}

// places are where servers can be set up.
func (h *Handler) places() []string { return h.Places.Or(h.Providers) }

// otherProviders are where the server of an order could be set up instead.
func (h *Handler) otherProviders(o order.Order) []string {
	return slices.DeleteFunc(slices.Clone(h.places()), func(name string) bool { return name == o.Provider })
}

// maxAlerts is the most orders that the page of alerts holds.
const maxAlerts = 100

// alerts answers GET /admin/orders/alerts: the orders that need one of us.
func (h *Handler) alerts(c echo.Context) error {
	alerts, total, err := h.Orders.Alerts(c.Request().Context(), maxAlerts)
	if err != nil {
		return err
	}
	p := views.Alerts{Total: total}
	for _, a := range alerts {
		p.Items = append(p.Items, views.Alert{Order: orderProps(a.Order), Late: a.Late})
	}
	f, err := h.frame(c, "admin.alerts.title", "", "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.AlertsPage(f, p))
}
