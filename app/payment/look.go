package payment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/order"
	"gatehouse/app/work"
)

// errOvertaken says that another look was stored while the provider was asked: what was seen may be the older of the two.
var errOvertaken = errors.New("another look at the payment was stored meanwhile")

// maxLooks is how often a look is taken again that was overtaken.
const maxLooks = 5

// LookAt asks the provider how a payment stands and does what follows, once: an order is made, money that came twice goes back. It
// may be called by anybody, at any time, as often as they like.
func (s *Service) LookAt(ctx context.Context, id ID) (Payment, error) {
	for range maxLooks {
		p, err := s.Store.Find(ctx, id)
		if err != nil {
			return p, fmt.Errorf("look at payment: %w", err)
		}
		seen, err := s.see(ctx, p)
		if err != nil {
			return p, fmt.Errorf("look at payment %s: %w", id, err)
		}
		p, err = s.settle(ctx, p, seen)
		if !errors.Is(err, errOvertaken) {
			return p, err
		}
	}
	return Payment{}, fmt.Errorf("payment %s: %w: %w", id, ErrAway, errOvertaken)
}

// see is the payment as the provider has it now. What the provider does not know is as it was, or has run out.
func (s *Service) see(ctx context.Context, p Payment) (Seen, error) {
	switch {
	case p.Page != "":
		page, err := s.Provider.Page(ctx, p.Page)
		if err != nil {
			return Seen{}, err
		}
		return page.seen(), nil
	case p.Intent != "":
		return s.Provider.Look(ctx, p.Intent)
	case p.CheckoutID != "":
		if s.Now().Sub(p.CreatedAt) > keyLife+pageLife { // nobody was shown its page, if there was one
			return Seen{State: Expired}, nil
		}
	}
	return Seen{State: p.State, Code: p.Code}, nil
}

// seen is what a page says of its payment.
func (p Page) seen() Seen {
	switch {
	case p.Payment != nil && (p.Payment.State == Paid || p.Payment.State == Processing):
		return *p.Payment
	case p.Expired:
		return Seen{State: Expired}
	case p.Open:
		return Seen{State: Waiting} // a card that was declined can be tried again there, or another one
	case p.Payment != nil:
		return *p.Payment // the page is done with, and the bank refused afterwards
	}
	return Seen{State: Waiting}
}

// settle stores what was seen, with all that follows from it, in one transaction.
func (s *Service) settle(ctx context.Context, was Payment, seen Seen) (Payment, error) {
	after, made, err := s.store(ctx, was, seen, true)
	if errors.Is(err, order.ErrOneOrder) { // the transaction is gone with that: the money came for nothing
		after, made, err = s.store(ctx, was, seen, false)
	}
	if err == nil && made != nil {
		s.Orders.Told(ctx, *made)
	}
	return after, err
}

func (s *Service) store(ctx context.Context, was Payment, seen Seen, room bool) (after Payment, made *order.Order, err error) {
	err = s.Store.Change(ctx, was.ID, func(ctx context.Context, p *Payment, c *Checkout) (Change, error) {
		if p.Looks != was.Looks {
			return Change{}, errOvertaken
		}
		paid := p.take(seen, s)
		ch := Change{}
		if paid && seen.Method.ID != "" {
			ch.Method = &seen.Method
		}
		var err error
		switch {
		case paid && (seen.Amount != p.Amount || seen.Currency != p.Currency):
			ch.Refund, err = s.refund(*p, seen.Amount, WhyWrong)
		case paid && c != nil && (c.State != Open || !room):
			ch.Refund, err = s.refund(*p, p.Amount, WhyTwice)
			if c.State == Open {
				c.State = Closed
			}
		case paid && c != nil:
			made, err = s.order(ctx, p, c)
		case p.Refunded >= p.Amount && p.OrderID != "":
			err = s.withdraw(ctx, *p)
		}
		if ch.Refund != nil {
			ch.Work = append(ch.Work, work.GiveBack{RefundID: ch.Refund.ID})
		}
		after = *p
		return ch, err
	})
	return after, made, err
}

// take puts what was seen into p, and says whether it is paid from now on.
func (p *Payment) take(seen Seen, s *Service) bool {
	was, now := p.State, s.Now().UTC()
	p.Looks++
	p.UpdatedAt = now
	p.Intent, p.Code = cmp.Or(seen.Intent, p.Intent), seen.Code
	if was == Paid {
		p.Refunded = seen.Refunded
		return false
	}
	if p.State = seen.State; p.State != Paid {
		return false
	}
	p.PaidAt, p.Refunded = now, seen.Refunded
	return true
}

// order makes the order that was paid.
func (s *Service) order(ctx context.Context, p *Payment, c *Checkout) (*order.Order, error) {
	by, err := s.Accounts.User(ctx, c.CustomerID, c.By)
	if err != nil {
		return nil, fmt.Errorf("order of payment: %w", err)
	}
	o, err := s.Orders.Place(ctx, order.Placing{
		By: by, Choice: c.Choice, Price: c.Price, Currency: c.Currency, PaidBy: PaidBy, Text: "Payment confirmed by Stripe.",
	})
	if err != nil {
		return nil, fmt.Errorf("order of payment: %w", err)
	}
	c.State, c.OrderID, p.OrderID = Ordered, o.ID, o.ID
	return &o, nil
}

// withdraw ends the order of a payment that went back, as long as its server is not at work: what then becomes of it, people decide.
func (s *Service) withdraw(ctx context.Context, p Payment) error {
	_, err := s.Orders.Withdraw(ctx, p.CustomerID, p.OrderID, "The payment was refunded, so the order ends.")
	if errors.Is(err, order.ErrCancel) {
		return nil
	}
	return err
}

// settleAfter is how long the provider may be silent about a payment that is not over before it is asked.
const (
	settleAfter  = 10 * time.Minute
	maxUnsettled = 20 // at once: the next ones have their turn a minute later
)

// Unsettled looks at payments that nobody has said anything about for a while: a webhook may have been lost. It says how many.
func (s *Service) Unsettled(ctx context.Context) (int, error) {
	ids, err := s.Store.Unsettled(ctx, s.Now().UTC().Add(-settleAfter), maxUnsettled)
	if err != nil {
		return 0, fmt.Errorf("unsettled payments: %w", err)
	}
	var errs []error
	for _, id := range ids {
		if _, err := s.LookAt(ctx, id); err != nil {
			errs = append(errs, err)
		}
	}
	return len(ids) - len(errs), errors.Join(errs...)
}
