package billing

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Where a customer changes the plan, ends it, and takes that back.
const (
	PlanPath   = portal.Billing + "/plan"
	CancelPath = portal.Billing + "/cancel"
	KeepPath   = portal.Billing + "/keep"
)

// onboardPath is the page of the order, where an ended one is kept.
const onboardPath = "/onboard"

// dataPath is the page on which an archive of the customer's data is made.
const dataPath = portal.Settings + "/data"

// Leaving is that the plan ends, or has ended.
type Leaving struct {
	On     time.Time // when the plan ends, or has ended
	Erased time.Time // when the server is deleted
	Closed time.Time // when the account is erased; zero: nobody says
	Years  int       // that invoices are kept
	Over   bool      // it has ended
	Gone   bool      // the server is deleted too
	Keep   bool      // an ended plan can be gone on with
}

// Plan is one plan as it is sold.
type Plan struct {
	ID, Name      string
	Monthly, Pool int64
	Holds         bool      // the customer has it
	Soonest       time.Time // from when it can be chosen; zero: now
	Unknown       bool      // it cannot be chosen while nobody knows what was used
}

// PlanProps is the page on which another plan is chosen.
type PlanProps struct {
	Plans  []Plan
	Chosen string
	Change *Change // what the chosen one changes; nil: none is chosen
}

// Change is what another plan changes. Amounts are cents without tax.
type Change struct {
	Was, Then             Plan
	From, To              time.Time
	Before, After         int64
	OverBefore, OverAfter int64 // what was used beyond the pool comes to, so far
	PoolBefore, PoolAfter int64
	Drawn                 int64
}

// more is what the month costs more than it would have.
func (c Change) more() int64 { return c.After + c.OverAfter - c.Before - c.OverBefore }

// was and then head the columns of what changes.
func (c Change) was(ctx context.Context) string { return i18n.T(ctx, "plan.now") + ": " + c.Was.Name }

func (c Change) then(ctx context.Context) string {
	return i18n.T(ctx, "plan.then") + ": " + c.Then.Name
}

func (p PlanProps) options(ctx context.Context) (all []ui.Option) {
	for _, v := range p.Plans {
		all = append(all, ui.Option{
			Value: v.ID, Label: i18n.T(ctx, "plan.option", "plan", v.Name, "price", i18n.Euros(ctx, v.Monthly), "pool", v.Pool),
			Hint: v.hint(ctx), Disabled: v.Holds || v.Unknown || !v.Soonest.IsZero(),
		})
	}
	return all
}

// hint says why a plan cannot be chosen now.
func (v Plan) hint(ctx context.Context) string {
	switch {
	case v.Holds:
		return i18n.T(ctx, "plan.holds")
	case v.Unknown:
		return i18n.T(ctx, "plan.unknown")
	case !v.Soonest.IsZero():
		return i18n.T(ctx, "plan.soonest", "day", i18n.Date(ctx, v.Soonest))
	}
	return ""
}

// CancelProps is the page on which a plan is cancelled.
type CancelProps struct {
	Ends, Erased, Closed time.Time // when the plan ends, the server is deleted, and the account is erased
	Years                int       // that invoices are kept
}
