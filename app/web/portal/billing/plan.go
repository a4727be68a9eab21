package billing

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	views "gatehouse/views/portal/billing"
)

// planRoutes are the customer's own plan and the end of it. What changes something takes a sign-in of the last ten minutes.
func (p *Pages) planRoutes() []web.Route {
	post := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: web.Customer, Right: account.Manage, Fresh: true, Do: do}
	}
	return []web.Route{
		frame.Get(views.PlanPath, account.Manage, p.plan),
		post(views.PlanPath, p.changePlan),
		frame.Get(views.CancelPath, account.Manage, p.cancelPage),
		post(views.CancelPath, p.cancel),
		post(views.KeepPath, p.keep),
	}
}

// plan answers GET /app/billing/plan: the plans, and what the one of ?plan= would change.
func (p *Pages) plan(c echo.Context) error {
	ctx, of := c.Request().Context(), frame.Customer(c)
	if _, err := p.Bills.WouldLeave(ctx, of); err != nil { // no plan holds, or it ends
		return p.refused(c, err)
	}
	o, err := p.Bills.Overview(ctx, of)
	if err != nil {
		return err
	}
	all, err := p.Bills.Choosable(ctx, of)
	if err != nil {
		return p.refused(c, err)
	}
	props := views.PlanProps{Chosen: c.QueryParam("plan")}
	for _, v := range all {
		props.Plans = append(props.Plans, planProps(v))
	}
	if props.Chosen != "" {
		d, err := p.Bills.PreviewPlan(ctx, of, pricing.PlanID(props.Chosen))
		if err != nil {
			return p.refused(c, err)
		}
		props.Change = changeProps(d, o)
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "plan.change")})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.PlanPage(outer, props))
}

func planProps(v billing.Choosable) views.Plan {
	return views.Plan{
		ID: string(v.ID), Name: v.Name, Monthly: int64(v.Monthly), Pool: v.Pool, Holds: v.Holds, Soonest: v.From, Unknown: v.Unknown,
	}
}

func spanProps(s billing.Span) views.Plan {
	return views.Plan{ID: string(s.Plan), Name: s.Name, Monthly: int64(s.Monthly), Pool: s.Pool}
}

func changeProps(d billing.PlanChange, o billing.Overview) *views.Change {
	zone := zoneOf(o)
	return &views.Change{
		Was: spanProps(d.Was), Then: spanProps(d.Now), From: d.Now.From.In(zone), To: d.To.In(zone), Before: int64(d.Before),
		After: int64(d.After), OverBefore: int64(d.OverBefore), OverAfter: int64(d.OverAfter), PoolBefore: d.PoolBefore,
		PoolAfter: d.PoolAfter, Drawn: d.Drawn,
	}
}

func zoneOf(o billing.Overview) *time.Location {
	if zone, err := time.LoadLocation(o.TimeZone); err == nil {
		return zone
	}
	return time.UTC
}

// changePlan answers POST /app/billing/plan. What was seen before is sent along: when it has changed since, nothing is changed.
func (p *Pages) changePlan(c echo.Context) error {
	monthly, err := strconv.ParseInt(c.FormValue("monthly"), 10, 64)
	if err != nil {
		monthly = -1 // which no plan costs
	}
	w := billing.Wish{
		Plan: pricing.PlanID(c.FormValue("plan")), Was: pricing.PlanID(c.FormValue("was")), Monthly: pricing.Cents(monthly),
	}
	_, err = p.Bills.ChangePlan(c.Request().Context(), frame.Customer(c), w, actor(c))
	return p.done(c, err, "plan.now_changed")
}

// cancelPage answers GET /app/billing/cancel: what comes of it when the plan is cancelled.
func (p *Pages) cancelPage(c echo.Context) error {
	ctx, of := c.Request().Context(), frame.Customer(c)
	l, err := p.Bills.WouldLeave(ctx, of)
	if err != nil {
		return p.refused(c, err)
	}
	o, err := p.Bills.Overview(ctx, of)
	if err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "plan.cancel")})
	if err != nil {
		return err
	}
	zone := zoneOf(o)
	return web.Render(c, http.StatusOK, views.CancelPage(outer, views.CancelProps{
		Ends: l.On.In(zone), Erased: l.Erased.In(zone), Closed: l.Closed.In(zone), Years: l.Years,
	}))
}

// cancel answers POST /app/billing/cancel.
func (p *Pages) cancel(c echo.Context) error {
	_, err := p.Bills.Cancel(c.Request().Context(), frame.Customer(c), actor(c))
	return p.done(c, err, "plan.now_cancelled")
}

// keep answers POST /app/billing/keep: takes the cancellation back.
func (p *Pages) keep(c echo.Context) error {
	_, err := p.Bills.TakeBack(c.Request().Context(), frame.Customer(c), actor(c))
	return p.done(c, err, "plan.now_kept")
}

// done leads back to the page of billing, which says what was done or what stands in the way.
func (p *Pages) done(c echo.Context, err error, said i18n.Key) error {
	if err != nil {
		return p.refused(c, err)
	}
	frame.Said(c, said)
	return frame.GoTo(c, portal.Billing)
}

// refused says on the page of billing why something is not possible now. What is no matter of the plan is answered as elsewhere.
func (p *Pages) refused(c echo.Context, err error) error {
	f := web.Told(c, err)
	if f.Kind != fault.Conflict && f.Kind != fault.Invalid {
		return err
	}
	web.Flash(c, "bad", f.Public)
	return frame.GoTo(c, portal.Billing)
}
