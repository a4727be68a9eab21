package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/staff"
)

// CancellationID names a cancellation.
type CancellationID string

// Cancellation is that a customer ends the plan with the period that runs. It is open until it is taken back or comes true.
type Cancellation struct {
	ID         CancellationID
	CustomerID account.CustomerID
	PeriodID   PeriodID // the last one
	At         time.Time
	By         audit.Actor // kind, id and name
	EndsAt     time.Time   // when that period ends, and the plan with it
	BackAt     time.Time   // when it was taken back; zero: it was not
	BackBy     audit.Actor
	EndedAt    time.Time // when the plan ended because of it, or had ended before; zero while it has not
}

// Open says whether it is still to come true.
func (c Cancellation) Open() bool { return c.BackAt.IsZero() && c.EndedAt.IsZero() }

// Refusals of cancellations.
var (
	ErrCancelled = fault.New(fault.Conflict, "cancelled", "plan is cancelled already",
		"Your plan is cancelled already. Nothing was changed. Reload the page to see when it ends.")
	ErrNotCancelled = fault.New(fault.Conflict, "not-cancelled", "no cancellation is open",
		"Your plan is not cancelled, so there is nothing to take back. Nothing was changed.")
)

// cancel is a cancellation of the period that runs.
func (p Period) cancel(now time.Time, by audit.Actor) (Cancellation, error) {
	if p.State != Active || p.over(now) {
		return Cancellation{}, ErrEnded
	}
	return Cancellation{
		ID: CancellationID(newID()), CustomerID: p.CustomerID, PeriodID: p.ID, At: now, By: by, EndsAt: p.To,
	}, nil
}

// takeBack lets the plan go on.
func (c *Cancellation) takeBack(now time.Time, by audit.Actor) error {
	switch {
	case !c.BackAt.IsZero():
		return ErrNotCancelled
	case !c.EndedAt.IsZero(), !now.Before(c.EndsAt):
		return ErrEnded
	}
	c.BackAt, c.BackBy = now, by
	return nil
}

// Orders are what ends with a plan; order.Service has them. Calls belong to the transaction of ctx.
type Orders interface {
	Of(ctx context.Context, of account.CustomerID) (order.Order, error)
	End(ctx context.Context, of account.CustomerID, id order.ID, why order.EndReason, by audit.Actor) (order.Order, error)
	Grace(why order.EndReason) time.Duration
}

// Cancel ends a customer's plan with the period that runs. Until then everything works, and it can be taken back.
func (s *Service) Cancel(ctx context.Context, of account.CustomerID, by audit.Actor) (Cancellation, error) {
	if err := staff.Require(by, staff.BillingManage); err != nil {
		return Cancellation{}, err
	}
	p, err := s.running(ctx, of)
	if err != nil {
		return Cancellation{}, err
	}
	return s.Store.Cancel(ctx, p.ID, LetterCancelled, func(p Period) (Cancellation, audit.Entry, error) {
		c, err := p.cancel(s.now(), by)
		return c, *s.entry(of, by, "billing.cancel", string(c.ID), map[string]string{"ends": c.EndsAt.Format(time.RFC3339)}), err
	})
}

// running is the period of a customer that runs and whose plan can be changed: the server works. Those whose time is over are closed
// first.
func (s *Service) running(ctx context.Context, of account.CustomerID) (Period, error) {
	buyer, err := s.Store.Buyer(ctx, of)
	if err != nil {
		return Period{}, err
	}
	if buyer.Ended || !buyer.Served && buyer.LastNumber > 0 {
		return Period{}, ErrEnded
	}
	return s.current(ctx, of)
}

// TakeBack takes a customer's cancellation back: the plan goes on as if nobody had cancelled it.
func (s *Service) TakeBack(ctx context.Context, of account.CustomerID, by audit.Actor) (Cancellation, error) {
	if err := staff.Require(by, staff.BillingManage); err != nil {
		return Cancellation{}, err
	}
	c, err := s.Store.CancellationOf(ctx, of)
	if err != nil {
		if fault.Of(err).Kind != fault.NotFound {
			return c, err
		}
		if _, err = s.running(ctx, of); err != nil {
			return c, err
		}
		return c, ErrNotCancelled
	}
	return s.Store.ChangeCancellation(ctx, c.ID, LetterKept, func(ctx context.Context, c *Cancellation) (*audit.Entry, error) {
		if o, err := s.Orders.Of(ctx, of); err == nil && o.Rests() {
			return nil, ErrEnded
		}
		return s.entry(of, by, "billing.keep", string(c.ID), nil), c.takeBack(s.now(), by)
	})
}

// Cancelled is a customer's cancellation that is still to come true; nil: none.
func (s *Service) Cancelled(ctx context.Context, of account.CustomerID) (*Cancellation, error) {
	c, err := s.Store.CancellationOf(ctx, of)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return nil, nil
	}
	return &c, err
}

// Cancellation finds a cancellation, whoever it is of: letters.
func (s *Service) Cancellation(ctx context.Context, id CancellationID) (Cancellation, error) {
	return s.Store.Cancellation(ctx, id)
}

// EndDue ends the orders whose plan was cancelled and is over. Each is ended once. It says how many.
func (s *Service) EndDue(ctx context.Context) (done int, err error) {
	due, err := s.Store.CancellationsDue(ctx, s.now(), someDue)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, c := range due {
		ended, err := s.endPlan(ctx, c.ID)
		switch {
		case errors.Is(err, order.ErrReplacing): // once the other server has taken its place
		case err != nil:
			errs = append(errs, fmt.Errorf("end plan of %s: %w", c.CustomerID, err))
		case ended:
			done++
		}
	}
	return done, errors.Join(errs...)
}

// endPlan ends the order of a cancellation. One that was ended for another reason meanwhile stays as it is.
func (s *Service) endPlan(ctx context.Context, id CancellationID) (ended bool, err error) {
	_, err = s.Store.ChangeCancellation(ctx, id, "", func(ctx context.Context, c *Cancellation) (*audit.Entry, error) {
		ended = false
		if !c.Open() {
			return nil, nil
		}
		now := s.now()
		o, err := s.Orders.Of(ctx, c.CustomerID)
		if err != nil && fault.Of(err).Kind != fault.NotFound {
			return nil, err
		}
		if err == nil && o.EndReason == order.Unpaid && o.Can("keep") {
			return nil, nil // who pays yet goes on until the day for which they have cancelled
		}
		if works := err == nil && o.Can("end"); works {
			if now.Before(c.EndsAt) {
				return nil, nil // somebody has kept the order meanwhile
			}
			if _, err := s.Orders.End(ctx, c.CustomerID, o.ID, order.Closed, audit.Itself); err != nil {
				return nil, err
			}
			ended = true
		}
		c.EndedAt = now
		return s.entry(c.CustomerID, audit.Itself, "billing.ended", string(c.ID), nil), nil
	})
	return ended && err == nil, err
}
