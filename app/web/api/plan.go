package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/billing"
	"gatehouse/app/pricing"
	"gatehouse/app/web/jsonbody"
)

// plan is a plan as it is sold, or as it holds. Amounts are cents without tax.
type plan struct {
	ID      string `json:"plan"`
	Name    string `json:"name"`
	Monthly int64  `json:"monthly_cents"`
	Pool    int64  `json:"pool_tokens"`
}

// planChange is what another plan changes about the month that runs.
type planChange struct {
	Was        plan      `json:"was"`
	Then       plan      `json:"then"`
	From       time.Time `json:"from"`
	To         time.Time `json:"to"`
	Before     int64     `json:"month_before_cents"`
	After      int64     `json:"month_after_cents"`
	OverBefore int64     `json:"overage_before_cents"`
	OverAfter  int64     `json:"overage_after_cents"`
	PoolBefore int64     `json:"pool_before_tokens"`
	PoolAfter  int64     `json:"pool_after_tokens"`
	Drawn      int64     `json:"drawn_tokens"`
}

// leaving is that a plan ends, or has ended.
type leaving struct {
	Ends   time.Time `json:"ends_at"`
	Erased time.Time `json:"server_deleted_at"`
	Over   bool      `json:"over"`
}

func spanOf(s billing.Span) plan { return plan{string(s.Plan), s.Name, int64(s.Monthly), s.Pool} }

// plans answers GET customer/billing/plans.
func (h *handler) plans(c echo.Context) error {
	all, err := h.Bills.Plans(c.Request().Context())
	if err != nil {
		return err
	}
	out := struct {
		Items []plan `json:"items"`
	}{Items: []plan{}}
	for _, v := range all {
		out.Items = append(out.Items, plan{string(v.ID), v.Name, int64(v.Monthly), v.Pool})
	}
	return c.JSON(http.StatusOK, out)
}

// previewPlan answers GET customer/billing/plans/{plan}: what it would change, and nothing is changed.
func (h *handler) previewPlan(c echo.Context) error {
	d, err := h.Bills.PreviewPlan(c.Request().Context(), customerOf(c), pricing.PlanID(c.Param("plan")))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, planChange{
		Was: spanOf(d.Was), Then: spanOf(d.Now), From: d.Now.From, To: d.To, Before: int64(d.Before), After: int64(d.After),
		OverBefore: int64(d.OverBefore), OverAfter: int64(d.OverAfter), PoolBefore: d.PoolBefore, PoolAfter: d.PoolAfter, Drawn: d.Drawn,
	})
}

// planRequest is the body of POST customer/billing/plan.
type planRequest struct {
	Plan    string `json:"plan"`
	Was     string `json:"was"`
	Monthly int64  `json:"monthly_cents"`
}

// changePlan answers POST customer/billing/plan.
func (h *handler) changePlan(c echo.Context) error {
	var in planRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	w := billing.Wish{Plan: pricing.PlanID(in.Plan), Was: pricing.PlanID(in.Was), Monthly: pricing.Cents(in.Monthly)}
	p, err := h.Bills.ChangePlan(c.Request().Context(), customerOf(c), w, actorOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, spanOf(p.Plan()))
}

// cancelPlan answers POST customer/billing/cancellation: the plan ends with the month.
func (h *handler) cancelPlan(c echo.Context) error {
	if _, err := h.Bills.Cancel(c.Request().Context(), customerOf(c), actorOf(c)); err != nil {
		return err
	}
	return h.leaves(c, http.StatusCreated)
}

// keepPlan answers DELETE customer/billing/cancellation: it is taken back.
func (h *handler) keepPlan(c echo.Context) error {
	if _, err := h.Bills.TakeBack(c.Request().Context(), customerOf(c), actorOf(c)); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (h *handler) leaves(c echo.Context, status int) error {
	l, err := h.leavingOf(c)
	if err != nil {
		return err
	}
	return c.JSON(status, l)
}

// leavingOf says whether the customer's plan ends or has ended; nil: neither.
func (h *handler) leavingOf(c echo.Context) (*leaving, error) {
	l, err := h.Bills.Leaving(c.Request().Context(), customerOf(c))
	if err != nil || l == nil {
		return nil, err
	}
	return &leaving{l.On, l.Erased, l.Over}, nil
}
