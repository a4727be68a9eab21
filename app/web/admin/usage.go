package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/page"
	"gatehouse/app/usage"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
)

// Analyst adds up what all customers used; usage.Analyst does.
type Analyst interface {
	Analysis(ctx context.Context, from, to time.Time) (usage.Analysis, error)
}

// usage answers GET /admin/usage: what all customers used, this month unless days are named.
func (h *Handler) usage(c echo.Context) error {
	_, from, to := usage.Month.Bounds(h.Now().UTC())
	start, end, err := page.Days(c.QueryParam("from"), c.QueryParam("to"), time.UTC)
	if err != nil {
		return err
	}
	if !start.IsZero() {
		from = start
	}
	if !end.IsZero() {
		to = end
	}
	a, err := h.Analyst.Analysis(c.Request().Context(), from, to)
	if err != nil {
		return err
	}
	f, err := h.frame(c, "analytics.title", "", "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.UsagePage(f, usageTotals(a)))
}

func usageTotals(a usage.Analysis) views.UsageTotals {
	t := views.UsageTotals{
		From: a.From.Format(time.DateOnly), To: a.To.AddDate(0, 0, -1).Format(time.DateOnly), Total: usageSum(a.Total),
		Customers: usageParts(a.Customers), Models: usageParts(a.Models), Agents: usageParts(a.Agents),
	}
	for _, l := range a.Late {
		t.Late = append(t.Late, views.LateServer{
			ID: string(l.Server), Slug: l.Slug, CustomerID: string(l.Customer), Customer: l.Name, UpTo: l.UpTo, Differs: l.Off,
		})
	}
	return t
}

func usageParts(all []usage.Part) (out []views.UsagePart) {
	for _, p := range all {
		out = append(out, views.UsagePart{ID: p.ID, Name: p.Name, UsageSum: usageSum(p.Counts)})
	}
	return out
}

func usageSum(c usage.Counts) views.UsageSum {
	return views.UsageSum{
		Requests: c.Requests, Estimated: c.Estimated, Input: c.Input, CacheRead: c.CacheRead, CacheWrite: c.CacheWrite, Output: c.Output,
	}
}
