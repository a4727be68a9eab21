package account

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/work"
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

// SetTimeZone says in which time zone the customer reads times. The server hears of it: reminders follow the owner's clock.
func (s *Service) SetTimeZone(ctx context.Context, of CustomerID, zone string, by audit.Actor) error {
	if !IsZone(zone) {
		return fault.Bad(map[string]string{"time_zone": "Choose a time zone from the list, like Europe/Berlin."})
	}
	e, err := entry(s.Now().UTC(), by, of, "customer.time_zone", string(of))
	if err != nil {
		return err
	}
	follow := []work.Item{work.RefreshTeam{CustomerID: string(of), UserID: by.ID}}
	if err := s.Store.SetTimeZone(ctx, of, zone, e, follow); err != nil {
		return fmt.Errorf("set time zone: %w", err)
	}
	return nil
}

// SetLocale says in which language a person reads pages and mails: a locale that the interface offers.
func (s *Service) SetLocale(ctx context.Context, of CustomerID, id UserID, locale string, by audit.Actor) error {
	e, err := entry(s.Now().UTC(), by, of, "user.locale", string(id))
	if err != nil {
		return err
	}
	if err := s.Store.SetLocale(ctx, of, id, locale, e); err != nil {
		return fmt.Errorf("set language: %w", err)
	}
	return nil
}

// IsZone says whether zone is an IANA name. "Local" would be this machine's zone.
func IsZone(zone string) bool {
	_, err := time.LoadLocation(zone)
	return err == nil && zone != "" && zone != "Local"
}
