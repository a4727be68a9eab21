package server

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
)

// Get finds a server of a customer.
func (s *Service) Get(ctx context.Context, of account.CustomerID, id ID) (Server, error) {
	return s.Store.Get(ctx, of, id)
}

// Of finds the customer's server.
func (s *Service) Of(ctx context.Context, of account.CustomerID) (Server, error) {
	return s.Store.Of(ctx, of)
}

// Find finds a server whoever has it: for the link, jobs and staff.
func (s *Service) Find(ctx context.Context, id ID) (Server, error) {
	return s.Store.Find(ctx, id)
}

// List gives the servers that f leaves, newest first: staff only.
func (s *Service) List(ctx context.Context, f Filter, ask page.Ask) (page.Of[Server], error) {
	ask, err := ask.Clean()
	if err != nil {
		return page.Of[Server]{}, err
	}
	if f.State != "" && f.State != Held && !slices.Contains(States(), f.State) {
		return page.Of[Server]{}, ErrState
	}
	return s.Store.List(ctx, f, ask)
}

// Counts says how many servers are in each state: staff only.
func (s *Service) Counts(ctx context.Context) (map[State]int, error) { return s.Store.Counts(ctx) }

// Revoke cuts a server off for good: its key opens no link any more. The caller closes the link that is open.
func (s *Service) Revoke(ctx context.Context, of account.CustomerID, id ID, by audit.Actor) error {
	eid, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("revoke server: %w", err)
	}
	now := s.Now().UTC()
	e := audit.Entry{ID: eid.String(), At: now, By: by, CustomerID: string(of), Action: "server.revoke", Target: string(id)}
	if err := s.Store.Revoke(ctx, of, id, now, e); err != nil {
		return err
	}
	s.Notify.ServerChanged(ctx, of, id)
	return nil
}

// OfOrder finds the server that an order led to.
func (s *Service) OfOrder(ctx context.Context, orderID string) (Server, error) {
	return s.Store.OfOrder(ctx, orderID)
}

// Add makes the server of an order known; a repeat answers with the one that is there.
func (s *Service) Add(ctx context.Context, of account.CustomerID, orderID, slug, provider string) (Server, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return Server{}, fmt.Errorf("add server: %w", err)
	}
	srv := Server{
		ID: ID(id.String()), CustomerID: of, OrderID: orderID, Slug: slug, Provider: provider, State: New, CreatedAt: s.Now().UTC(),
	}
	if err := s.Store.Create(ctx, srv); err != nil {
		return Server{}, fmt.Errorf("add server: %w", err)
	}
	return s.Store.OfOrder(ctx, orderID)
}

// MoveTo says that a server which never registered is set up with another provider.
func (s *Service) MoveTo(ctx context.Context, id ID, provider string) error {
	return s.Store.MoveTo(ctx, id, provider)
}

// Remove forgets a server that never registered and whose order was cancelled; a repeat is no error.
func (s *Service) Remove(ctx context.Context, of account.CustomerID, id ID) error {
	return s.Store.Remove(ctx, of, id)
}
