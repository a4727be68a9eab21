package server

import (
	"context"

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

// List gives all servers, newest first: staff only.
func (s *Service) List(ctx context.Context, ask page.Ask) (page.Of[Server], error) {
	ask, err := ask.Clean()
	if err != nil {
		return page.Of[Server]{}, err
	}
	return s.Store.List(ctx, ask)
}

// Revoke cuts a server off for good: its key opens no link any more. The caller closes the link that is open.
func (s *Service) Revoke(ctx context.Context, of account.CustomerID, id ID, by audit.Actor) error {
	if err := s.Store.Revoke(ctx, of, id, s.Now().UTC(), by); err != nil {
		return err
	}
	s.Notify.ServerChanged(ctx, of, id)
	return nil
}
