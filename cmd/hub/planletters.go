package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/order"
	"gatehouse/app/work"
	"gatehouse/db"
)

// planLetter gives the contents of a letter about a plan: what holds, and when it ends.
func (p post) planLetter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	of, plan, err := p.planOf(ctx, m)
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	l, err := p.accounts.Letter(ctx, m)
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	customer, err := p.accounts.Customer(ctx, of)
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	zone, err := time.LoadLocation(customer.TimeZone)
	if err != nil {
		zone = time.UTC // as pages do
	}
	plan.From, plan.Ends, plan.Erased = plan.From.In(zone), plan.Ends.In(zone), plan.Erased.In(zone)
	l.Plan = plan
	return l, nil
}

// planOf is what a letter is about, and whose plan it is.
func (p post) planOf(ctx context.Context, m work.SendMail) (account.CustomerID, account.Plan, error) {
	period, _, _ := strings.Cut(m.Ref, ".")
	var plan account.Plan
	if m.Template != billing.LetterPlan && m.Template != billing.LetterAddress {
		c, err := p.bills.Cancellation(ctx, billing.CancellationID(m.Ref))
		if err != nil {
			return "", plan, err
		}
		period = string(c.PeriodID)
		plan.Ends, plan.Erased = c.EndsAt, c.EndsAt.Add(p.orders.Grace(order.Closed))
	}
	month, err := p.bills.Store.Period(ctx, billing.PeriodID(period))
	if err != nil {
		return "", plan, err
	}
	if m.Template == billing.LetterAddress && month.Held != billing.NoAddress {
		return "", plan, fmt.Errorf("the address is there: %w", db.ErrNotFound)
	}
	now := month.Plan()
	plan.Name, plan.Monthly, plan.From = now.Name, int64(now.Monthly), now.From
	return month.CustomerID, plan, nil
}
