package admin

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/margin"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
)

// Margins says what customers cost and bring in; margin.Service does.
type Margins interface {
	At(month string) (time.Time, error)
	Month(ctx context.Context, at time.Time) (margin.Month, error)
	Months(ctx context.Context) ([]margin.Trend, error)
}

// perMargins is how many customers a page has.
const perMargins = 50

// margins answers GET /admin/analytics: what customers cost and brought in in a month.
func (h *Handler) margins(c echo.Context) error {
	m, v, err := h.month(c)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(c.QueryParam("after"))
	if err != nil || n < 0 || n > len(m.Customers) {
		n = 0
	}
	end := min(n+perMargins, len(m.Customers))
	for _, s := range m.Customers[n:end] {
		v.Customers = append(v.Customers, marginSum(s))
	}
	v.From, v.Of = n, len(m.Customers)
	if end < len(m.Customers) {
		v.Next = strconv.Itoa(end)
	}
	months, err := h.Margins.Months(c.Request().Context())
	if err != nil {
		return err
	}
	for _, t := range months {
		of := marginSum(t.Sum)
		of.Name = t.From.Format("2006-01")
		v.Months = append(v.Months, of)
	}
	f, err := h.frame(c, "margins.title", "", "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.MarginsPage(f, v))
}

// month reads which month and which customers are asked for, in which order.
func (h *Handler) month(c echo.Context) (m margin.Month, v views.Margins, err error) {
	at, err := h.Margins.At(c.QueryParam("month"))
	if err != nil {
		return m, v, err
	}
	if m, err = h.Margins.Month(c.Request().Context(), at); err != nil {
		return m, v, err
	}
	v = views.Margins{
		Month: m.From.Format("2006-01"), Running: m.Running, Total: marginSum(m.Total), Search: strings.TrimSpace(c.QueryParam("q")),
		Sort: c.QueryParam("sort"), Times: margin.OutlierTimes, Requests: margin.OutlierRequests, Least: int64(margin.OutlierCost.Cents()),
	}
	if v.Sort == "" {
		v.Sort = "-cost"
	}
	m.Customers = margin.Sorted(margin.Found(m.Customers, v.Search), v.Sort)
	for _, s := range m.Models {
		v.Models = append(v.Models, marginSum(s))
	}
	for _, o := range m.Agents {
		v.Agents = append(v.Agents, views.Outlier{
			Customer: o.Customer, Name: o.Name, Agent: o.Agent, Requests: o.Requests, Cost: int64(o.Cost.Cents()),
			Times: int64(o.Each / max(o.Median, 1)), Share: o.Share,
		})
	}
	return m, v, nil
}

func marginSum(s margin.Sum) views.MarginSum {
	return views.MarginSum{
		ID: s.ID, Name: s.Name, Tokens: s.Tokens, Unpriced: s.Unpriced, Cost: int64(s.Cost.Cents()), Revenue: int64(s.Revenue),
		Margin: int64(s.Margin()),
	}
}

// marginsFile answers GET /admin/analytics.csv: the customers of the page, all of them, in cents.
func (h *Handler) marginsFile(c echo.Context) error {
	m, v, err := h.month(c)
	if err != nil {
		return err
	}
	t := newTable(c, "margins-"+v.Month, h.Now(), []string{
		"month", "running", "customer_id", "customer", "tokens", "unpriced_tokens", "cost_cents", "revenue_cents", "margin_cents",
	})
	return write(t, m.Customers, func(s margin.Sum) []string {
		row := []string{v.Month, strconv.FormatBool(v.Running), s.ID, s.Name}
		for _, n := range []int64{s.Tokens, s.Unpriced, int64(s.Cost.Cents()), int64(s.Revenue), int64(s.Margin())} {
			row = append(row, fmt.Sprint(n))
		}
		return row
	})
}
