package billing

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/order"
)

// Leaving is that a plan ends, or has ended.
type Leaving struct {
	On     time.Time // when the plan ends, or has ended
	Erased time.Time // when the server is deleted
	Closed time.Time // when the account is erased; zero: nobody says
	Years  int       // that invoices are kept
	Over   bool      // it has ended
	Gone   bool      // the server is deleted, or being deleted
	Keep   bool      // an ended plan that the customer can go on with
	Said   *Cancellation
}

// Closing says what becomes of the account of a customer who left; closing.Service does.
type Closing interface {
	// On is when the account is closed whose server is given back then.
	On(released time.Time) time.Time
	// Due is when the account is closed of a customer whose server was given back; zero: it was not, or the account is closed.
	Due(ctx context.Context, of account.CustomerID) (time.Time, error)
	// KeptYears is how many years invoices are kept.
	KeptYears() int
}

// closed adds what becomes of the account. Once the server was given back, its day counts from the moment in which it was.
func (s *Service) closed(ctx context.Context, of account.CustomerID, l Leaving) (*Leaving, error) {
	if s.Closing == nil {
		return &l, nil
	}
	l.Closed, l.Years = s.Closing.On(l.Erased), s.Closing.KeptYears()
	if !l.Gone {
		return &l, nil
	}
	due, err := s.Closing.Due(ctx, of)
	if !due.IsZero() {
		l.Closed = due
	}
	return &l, err
}

// Leaving says whether a customer's plan ends or has ended; nil: neither.
func (s *Service) Leaving(ctx context.Context, of account.CustomerID) (*Leaving, error) {
	c, err := s.Cancelled(ctx, of)
	if err != nil {
		return nil, err
	}
	o, err := s.Orders.Of(ctx, of)
	switch {
	case err != nil && fault.Of(err).Kind == fault.NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	case o.Rests():
		return s.closed(ctx, of, Leaving{
			On: o.EndedAt, Erased: o.ReleaseAt, Over: true, Gone: o.State == order.Releasing || o.State == order.Released,
			Keep: o.Keepable(),
		})
	case c != nil:
		return s.closed(ctx, of, Leaving{On: c.EndsAt, Erased: c.EndsAt.Add(s.Orders.Grace(order.Closed)), Said: c})
	}
	return nil, nil
}

// RestsSince says since when the team of a customer rests because the plan has ended: with its order, or with the cancellation of an
// order that could not be ended yet. Zero: it does not.
func (s *Service) RestsSince(ctx context.Context, of account.CustomerID) (time.Time, error) {
	o, err := s.Orders.Of(ctx, of)
	if err != nil {
		if fault.Of(err).Kind == fault.NotFound {
			return time.Time{}, nil
		}
		return time.Time{}, err
	}
	if o.Rests() {
		return o.EndedAt, nil
	}
	c, err := s.Cancelled(ctx, of)
	if err != nil || c == nil || c.EndsAt.After(s.now()) {
		return time.Time{}, err
	}
	return c.EndsAt, nil
}

// Resting refuses what needs the team of a customer whose plan has ended: nil while it works.
func (s *Service) Resting(ctx context.Context, of account.CustomerID) error {
	since, err := s.RestsSince(ctx, of)
	if err != nil || since.IsZero() {
		return err
	}
	return order.ErrRests(since)
}

// WouldLeave says what comes of it when a customer cancels now. It refuses what Cancel does.
func (s *Service) WouldLeave(ctx context.Context, of account.CustomerID) (Leaving, error) {
	p, err := s.running(ctx, of)
	if err != nil {
		return Leaving{}, err
	}
	if c, err := s.Cancelled(ctx, of); err != nil || c != nil {
		return Leaving{}, orErr(err, ErrCancelled)
	}
	l, err := s.closed(ctx, of, Leaving{On: p.To, Erased: p.To.Add(s.Orders.Grace(order.Closed))})
	if err != nil {
		return Leaving{}, err
	}
	return *l, nil
}
