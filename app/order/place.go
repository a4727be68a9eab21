package order

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/pricing"
	"gatehouse/app/work"
)

// Placing is an order that was paid before it is made.
type Placing struct {
	By       account.User
	Choice   Choice // as Prepare gave it
	Price    pricing.Cents
	Currency string
	PaidBy   string
	Text     string // the first line of its history
}

// Prepare checks what somebody wants to order before it is paid: the plan, and the choice as it is to be kept.
func (s *Service) Prepare(ctx context.Context, c Choice) (pricing.Plan, Choice, error) {
	plan, c, err := c.check(s.Plans(), s.Names)
	if err != nil {
		return plan, c, err
	}
	return plan, c, s.taken(ctx)
}

// Place makes an order that is paid, whatever the settings say by now: the money is there. In the transaction of its caller, who
// calls Told once that is committed. A customer who has an order already gets ErrOneOrder.
func (s *Service) Place(ctx context.Context, p Placing) (Order, error) {
	customer, err := s.Accounts.Customer(ctx, p.By.CustomerID)
	if err != nil {
		return Order{}, fmt.Errorf("place order: %w", err)
	}
	n, err := s.draft(customer, p)
	if err != nil {
		return Order{}, err
	}
	return s.Store.Create(ctx, n)
}

// Told tells open pages of an order that was placed.
func (s *Service) Told(ctx context.Context, o Order) { s.Notify.OrderChanged(ctx, o.CustomerID, o.ID) }

// Withdraw ends an order before its server works, because its payment went back. What was made for it is given back. One whose
// server works, or that is over, is ErrCancel.
func (s *Service) Withdraw(ctx context.Context, of account.CustomerID, id ID, text string) (Order, error) {
	return s.change(ctx, Order{ID: id, CustomerID: of}, func(o *Order, now time.Time) (Change, error) {
		var ch Change
		switch {
		case o.Can("cancel"):
			ch = o.cancel(now, audit.Itself)
		case o.Can("stop"):
			ch = o.stop(now, audit.Itself)
		default:
			return Change{}, ErrCancel
		}
		ch.Events[0].Text = text
		return ch, nil
	})
}

// giveBack is the work that gives back what was paid for an order that is called off.
func (o Order) giveBack() []work.Item {
	if !o.RealMoney() || o.Standing != Main {
		return nil
	}
	return []work.Item{work.RefundOrder{OrderID: string(o.ID)}}
}

// RealMoney says whether the order was paid with money: the built-in test checkout takes none.
func (o Order) RealMoney() bool { return o.PaidBy != paidByTest }
