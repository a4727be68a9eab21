package order

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/page"
)

// Get finds an order of a customer.
func (s *Service) Get(ctx context.Context, of account.CustomerID, id ID) (Order, error) {
	return s.Store.Get(ctx, of, id)
}

// Of finds the newest order of a customer.
func (s *Service) Of(ctx context.Context, of account.CustomerID) (Order, error) {
	return s.Store.Of(ctx, of)
}

// Find finds an order whoever has it: jobs and staff.
func (s *Service) Find(ctx context.Context, id ID) (Order, error) {
	return s.Store.Find(ctx, id)
}

// List gives the orders that f leaves, in its order: staff only.
func (s *Service) List(ctx context.Context, f Filter, ask page.Ask) (page.Of[Order], error) {
	ask, err := ask.CleanSorted()
	if err != nil {
		return page.Of[Order]{}, err
	}
	if f, err = f.Clean(); err != nil {
		return page.Of[Order]{}, err
	}
	if f.State == Late && f.Before.IsZero() {
		f.Before = s.Now().UTC().Add(-s.promised())
	}
	if err := f.continues(ask); err != nil {
		return page.Of[Order]{}, err
	}
	return s.Store.List(ctx, f, ask)
}

// maxEvents is the most that one call of Events returns.
const maxEvents = 500

// Events lists the history of a customer's order after the event with the id after, oldest first, at most 500.
func (s *Service) Events(ctx context.Context, of account.CustomerID, id ID, after int64) ([]Event, error) {
	return s.Store.Events(ctx, of, id, after, maxEvents)
}

// Stranded lists live orders that nothing works on since before: their worker died again and again.
func (s *Service) Stranded(ctx context.Context, before time.Time) ([]Order, error) {
	return s.Store.Stranded(ctx, before)
}
