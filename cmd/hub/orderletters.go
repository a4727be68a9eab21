package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/staff"
	"gatehouse/app/work"
	"gatehouse/db"
)

// orderLetter gives the contents of a letter about an order, to who ordered or to one of our staff. What it would say may be over
// by then: such a letter is not sent.
func (p post) orderLetter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	id, about, _ := strings.Cut(m.Ref, ".")
	o, err := p.orders.Find(ctx, order.ID(id))
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	l, err := p.recipient(ctx, m)
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	l.Order = account.Ordered{ID: id, Number: o.Number, Customer: o.CustomerName, Why: string(o.EndReason)}
	over := false
	switch m.Template {
	case order.LetterEnded:
		over = o.State != order.Ended
		l.Order.On, err = p.customerTime(ctx, o)
	case order.LetterLate:
		over = !o.Step().OnPath()
	case order.LetterHelp:
		if l.Order.Why = "failed"; about == "late" {
			l.Order.Why = "late"
		}
		over = l.Order.Why == "failed" && o.State != order.Failed || l.Order.Why == "late" && !o.Step().OnPath()
	}
	if over {
		err = fmt.Errorf("letter %s: order %s is %s: %w", m.Template, id, o.State, db.ErrNotFound)
	}
	return l, err
}

// recipient is who gets the letter.
func (p post) recipient(ctx context.Context, m work.SendMail) (account.Letter, error) {
	if m.Template != order.LetterHelp {
		return p.accounts.Letter(ctx, m)
	}
	return p.clerk(ctx, m)
}

// clerk is one of our staff who gets a letter.
func (p post) clerk(ctx context.Context, m work.SendMail) (account.Letter, error) {
	who, err := p.staff.Get(ctx, staff.ID(m.UserID))
	return account.Letter{Template: m.Template, To: who.Email, Name: who.Name, Locale: who.Locale, Ref: m.Ref}, err
}

// customerTime is when the server of an ended order is released, where its customer is.
func (p post) customerTime(ctx context.Context, o order.Order) (time.Time, error) {
	customer, err := p.accounts.Customer(ctx, o.CustomerID)
	if err != nil {
		return time.Time{}, err
	}
	zone, err := time.LoadLocation(customer.TimeZone)
	if err != nil {
		zone = time.UTC // as pages do
	}
	return o.ReleaseAt.In(zone), nil
}
