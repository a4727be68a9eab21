package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/margin"
	"gatehouse/app/page"
)

// Margins says what customers cost and bring in; margin.Service does.
type Margins interface {
	At(month string) (time.Time, error)
	Month(ctx context.Context, at time.Time) (margin.Month, error)
	Months(ctx context.Context) ([]margin.Trend, error)
}

// marginSum is what somebody or something cost and brought in. Amounts are euro cents without tax.
type marginSum struct {
	Requests int64 `json:"requests"`
	Tokens   int64 `json:"tokens"`
	Unpriced int64 `json:"unpriced_tokens"`
	Cost     int64 `json:"cost_cents"`
	Revenue  int64 `json:"revenue_cents"`
	Margin   int64 `json:"margin_cents"`
}

func marginSumOf(s margin.Sum) marginSum {
	return marginSum{s.Requests, s.Tokens, s.Unpriced, int64(s.Cost.Cents()), int64(s.Revenue), int64(s.Margin())}
}

type marginMonth struct {
	Month   string `json:"month"`
	Running bool   `json:"running"`
	marginSum
}

type marginCustomer struct {
	ID   string `json:"customer_id"`
	Name string `json:"name"`
	marginSum
}

// marginModel has no revenue: plans are sold, not models.
type marginModel struct {
	Name     string `json:"name"`
	Requests int64  `json:"requests"`
	Tokens   int64  `json:"tokens"`
	Unpriced int64  `json:"unpriced_tokens"`
	Cost     int64  `json:"cost_cents"`
}

type marginAgent struct {
	Customer string `json:"customer_id"`
	Name     string `json:"customer"`
	Agent    string `json:"agent"`
	Requests int64  `json:"requests"`
	Cost     int64  `json:"cost_cents"`
	Each     int64  `json:"request_euro_micros"`
	Median   int64  `json:"median_euro_micros"`
	Share    int64  `json:"share_percent"`
}

// adminCosts answers GET admin/analytics/costs: a month with its models and the agents that cost out of proportion.
func (h *handler) adminCosts(c echo.Context) error {
	m, err := h.marginMonth(c)
	if err != nil {
		return err
	}
	out := struct {
		marginMonth
		Models []marginModel `json:"models"`
		Agents []marginAgent `json:"agents_out_of_proportion"`
	}{marginMonth{m.From.Format("2006-01"), m.Running, marginSumOf(m.Total)}, []marginModel{}, []marginAgent{}}
	for _, s := range m.Models {
		out.Models = append(out.Models, marginModel{s.Name, s.Requests, s.Tokens, s.Unpriced, int64(s.Cost.Cents())})
	}
	for _, o := range m.Agents {
		out.Agents = append(out.Agents, marginAgent{
			o.Customer, o.Name, o.Agent, o.Requests, int64(o.Cost.Cents()), int64(o.Each), int64(o.Median), o.Share,
		})
	}
	return c.JSON(http.StatusOK, out)
}

// marginMonth is the month that is asked for.
func (h *handler) marginMonth(c echo.Context) (margin.Month, error) {
	at, err := h.Margins.At(c.QueryParam("month"))
	if err != nil {
		return margin.Month{}, err
	}
	return h.Margins.Month(c.Request().Context(), at)
}

// adminCustomerCosts answers GET admin/analytics/customers: the customers of a month, sorted and searched as on the page.
func (h *handler) adminCustomerCosts(c echo.Context) error {
	ask, err := sought(c)
	if err != nil {
		return err
	}
	m, err := h.marginMonth(c)
	if err != nil {
		return err
	}
	all := margin.Sorted(margin.Found(m.Customers, ask.Search), c.QueryParam("sort"))
	if ask.After != "" {
		at := slices.IndexFunc(all, func(s margin.Sum) bool { return s.ID == ask.After })
		if at < 0 {
			return page.ErrCursor
		}
		all = all[at+1:]
	}
	of := page.Cut(all[:min(ask.Limit+1, len(all))], ask.Limit, func(s margin.Sum) string { return s.ID })
	return answer(c, of, nil, func(s margin.Sum) marginCustomer { return marginCustomer{s.ID, s.Name, marginSumOf(s)} })
}

// adminMonths answers GET admin/analytics/months: the last thirteen months.
func (h *handler) adminMonths(c echo.Context) error {
	all, err := h.Margins.Months(c.Request().Context())
	return answer(c, page.Of[margin.Trend]{Items: all}, err, func(t margin.Trend) marginMonth {
		return marginMonth{t.From.Format("2006-01"), t.Running, marginSumOf(t.Sum)}
	})
}
