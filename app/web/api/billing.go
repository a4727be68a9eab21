package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
)

// Bills is what the API needs of billing; billing.Service has it.
type Bills interface {
	Overview(ctx context.Context, of account.CustomerID) (billing.Overview, error)
	Summary(ctx context.Context) (billing.Summary, error)
	Invoices(ctx context.Context, f billing.Filter, ask page.Ask) (page.Of[billing.Invoice], error)
	Overages(ctx context.Context, ask page.Ask) (page.Of[billing.Overdrawn], error)
	Founders(ctx context.Context, ask page.Ask) (page.Of[billing.Founder], error)
	Uncharged(ctx context.Context, of account.CustomerID) ([]billing.Uncharged, error)
	Plans(ctx context.Context) ([]pricing.Plan, error)
	PreviewPlan(ctx context.Context, of account.CustomerID, plan pricing.PlanID) (billing.PlanChange, error)
	ChangePlan(ctx context.Context, of account.CustomerID, w billing.Wish, by audit.Actor) (billing.Period, error)
	Cancel(ctx context.Context, of account.CustomerID, by audit.Actor) (billing.Cancellation, error)
	TakeBack(ctx context.Context, of account.CustomerID, by audit.Actor) (billing.Cancellation, error)
	Leaving(ctx context.Context, of account.CustomerID) (*billing.Leaving, error)
}

// billingNow is how a customer's billing stands.
type billingNow struct {
	Runs       bool          `json:"runs"`
	Currency   string        `json:"currency"`
	Overage    bool          `json:"overage"`
	Plan       string        `json:"plan,omitempty"`
	Monthly    int64         `json:"monthly_cents,omitempty"`
	From       time.Time     `json:"from,omitzero"`
	To         time.Time     `json:"to,omitzero"`
	Pool       int64         `json:"pool_tokens,omitempty"`
	Drawn      int64         `json:"drawn_tokens"`
	Forecast   int64         `json:"forecast_tokens,omitempty"`
	Times      int64         `json:"pool_times,omitempty"`
	Net        int64         `json:"net_cents"`
	Incomplete bool          `json:"incomplete"`
	Lines      []billingLine `json:"lines"`
	Leaving    *leaving      `json:"leaving"` // null unless the plan ends or has ended
}

type billingLine struct {
	Kind   string `json:"kind"`
	Plan   string `json:"plan,omitempty"`
	Model  string `json:"model,omitempty"`
	Tokens int64  `json:"tokens,omitempty"`
	Markup int64  `json:"markup_percent,omitempty"`
	Rate   int64  `json:"eur_micros_per_usd,omitempty"`
	Net    int64  `json:"net_cents"`
}

// billing answers GET customer/billing.
func (h *handler) billing(c echo.Context) error {
	o, err := h.Bills.Overview(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	out := billingNow{Runs: o.Runs(), Currency: pricing.Currency, Overage: o.Overage, Lines: []billingLine{}}
	if o.Runs() {
		plan, d := o.Period.Plan(), o.Draft
		out.Plan, out.Monthly, out.From, out.To, out.Times = string(plan.Plan), int64(plan.Monthly), o.Period.From, o.Period.To,
			o.Period.Multiplier
		out.Pool, out.Drawn, out.Forecast, out.Net, out.Incomplete = d.Pool, d.Drawn, o.Outlook.Total, int64(d.Net()), len(d.Held) > 0
	}
	for _, l := range o.Draft.Lines {
		v := billingLine{Kind: string(l.Kind), Plan: l.Plan, Model: l.Model, Net: int64(l.Net)}
		if l.Metered != nil {
			v.Tokens, v.Markup, v.Rate = l.Metered.Tokens.All(), l.Metered.Markup, int64(l.Metered.Rate)
		}
		out.Lines = append(out.Lines, v)
	}
	if out.Leaving, err = h.leavingOf(c); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, out)
}

type billingSum struct {
	Count int   `json:"count"`
	Total int64 `json:"total_cents"`
}

func sumOf(s billing.Sum) billingSum { return billingSum{s.Count, int64(s.Total)} }

// adminBilling answers GET admin/billing/summary.
func (h *handler) adminBilling(c echo.Context) error {
	sum, err := h.Bills.Summary(c.Request().Context())
	if err != nil {
		return err
	}
	type waiting struct {
		ID       string    `json:"period_id"`
		Customer string    `json:"customer_id"`
		To       time.Time `json:"to"`
		Why      string    `json:"why"`
	}
	out := struct {
		Running int        `json:"running"`
		Waiting []waiting  `json:"waiting"`
		Open    billingSum `json:"open"`
		Overdue billingSum `json:"overdue"`
		Failed  billingSum `json:"failed"`
		Paid    billingSum `json:"paid_30_days"`
		Seller  bool       `json:"seller"`
	}{
		sum.Running, []waiting{}, sumOf(sum.Open), sumOf(sum.Overdue), sumOf(sum.Failed), sumOf(sum.PaidMonth), sum.Seller,
	}
	for _, p := range sum.Waiting {
		out.Waiting = append(out.Waiting, waiting{string(p.ID), string(p.CustomerID), p.To, p.Held})
	}
	return c.JSON(http.StatusOK, out)
}

type adminInvoice struct {
	ID         string    `json:"id"`
	Number     string    `json:"number"`
	CustomerID string    `json:"customer_id"`
	Customer   string    `json:"customer"`
	PeriodID   string    `json:"period_id"`
	State      string    `json:"state"`
	Net        int64     `json:"net_cents"`
	Tax        int64     `json:"tax_cents"`
	Total      int64     `json:"total_cents"`
	Currency   string    `json:"currency"`
	IssuedAt   time.Time `json:"issued_at"`
	DueAt      time.Time `json:"due_at"`
	PaidAt     time.Time `json:"paid_at,omitzero"`
	PaidBy     string    `json:"paid_by,omitempty"`
}

func adminInvoiceOf(i billing.Invoice) adminInvoice {
	return adminInvoice{
		ID: string(i.ID), Number: i.Number, CustomerID: string(i.CustomerID), Customer: i.Customer, PeriodID: string(i.PeriodID),
		State: string(i.State), Net: int64(i.Net), Tax: int64(i.Tax), Total: int64(i.Total), Currency: i.Currency, IssuedAt: i.IssuedAt,
		DueAt: i.DueAt, PaidAt: i.PaidAt, PaidBy: i.PaidBy,
	}
}

// adminInvoices answers GET admin/billing/history.
func (h *handler) adminInvoices(c echo.Context) error {
	ask, err := sought(c)
	if err != nil {
		return err
	}
	f := billing.Filter{State: billing.State(c.QueryParam("state"))}
	if f.State == "overdue" {
		f = billing.Filter{Overdue: true}
	}
	of, err := h.Bills.Invoices(c.Request().Context(), f, ask)
	return answer(c, of, err, adminInvoiceOf)
}

type adminOverage struct {
	ID       string    `json:"period_id"`
	Customer string    `json:"customer_id"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Pool     int64     `json:"pool_tokens"`
	Drawn    int64     `json:"drawn_tokens"`
	Free     int64     `json:"uncharged_tokens"`
	Overage  int64     `json:"overage_cents"`
}

// adminOverages answers GET admin/billing/overages.
func (h *handler) adminOverages(c echo.Context) error {
	ask, err := asked(c)
	if err != nil {
		return err
	}
	of, err := h.Bills.Overages(c.Request().Context(), ask)
	return answer(c, of, err, func(o billing.Overdrawn) adminOverage {
		return adminOverage{
			string(o.Period.ID), string(o.Period.CustomerID), o.Period.From, o.Period.To, o.Draft.Pool, o.Draft.Drawn, o.Draft.Over,
			int64(o.Draft.Sum(billing.LineOverage)),
		}
	})
}

type adminFounder struct {
	Customer   string    `json:"customer_id"`
	Name       string    `json:"customer"`
	Multiplier int64     `json:"multiplier"`
	From       time.Time `json:"from"`
	Until      time.Time `json:"until"`
}

// adminFounders answers GET admin/billing/founding.
func (h *handler) adminFounders(c echo.Context) error {
	ask, err := asked(c)
	if err != nil {
		return err
	}
	of, err := h.Bills.Founders(c.Request().Context(), ask)
	return answer(c, of, err, func(f billing.Founder) adminFounder {
		return adminFounder{string(f.CustomerID), f.Customer, f.Multiplier, f.From, f.Until}
	})
}

type uncharged struct {
	Why    string    `json:"why"`
	Period string    `json:"period_id,omitempty"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Tokens int64     `json:"tokens"`
}

// adminUncharged answers GET admin/customers/{id}/uncharged: what stands on no invoice of a customer, all at once.
func (h *handler) adminUncharged(c echo.Context) error {
	id, err := customerID(c)
	if err != nil {
		return err
	}
	all, err := h.Bills.Uncharged(c.Request().Context(), id)
	return answer(c, page.Of[billing.Uncharged]{Items: all}, err, func(u billing.Uncharged) uncharged {
		return uncharged{string(u.Why), string(u.Period), u.From, u.To, u.Tokens}
	})
}
