package account

import (
	"context"

	"gatehouse/app/page"
)

// User finds a person of a customer.
func (s *Service) User(ctx context.Context, of CustomerID, id UserID) (User, error) {
	return s.Store.User(ctx, of, id)
}

// Users lists the people of a customer, oldest first.
func (s *Service) Users(ctx context.Context, of CustomerID) ([]User, error) {
	return s.Store.Users(ctx, of)
}

// Customer finds a customer.
func (s *Service) Customer(ctx context.Context, id CustomerID) (Customer, error) {
	return s.Store.Customer(ctx, id)
}

// Customers lists all customers, newest first: staff only.
func (s *Service) Customers(ctx context.Context, ask page.Ask) (page.Of[Customer], error) {
	ask, err := ask.Clean()
	if err != nil {
		return page.Of[Customer]{}, err
	}
	return s.Store.Customers(ctx, ask)
}

// Inside lists the proven addresses of a customer's own people: mail to them stays inside the business.
func (s *Service) Inside(ctx context.Context, of CustomerID) ([]string, error) {
	users, err := s.Store.Users(ctx, of)
	if err != nil {
		return nil, err
	}
	inside := []string{}
	for _, u := range users {
		if u.Verified() {
			inside = append(inside, u.Email)
		}
	}
	return inside, nil
}
