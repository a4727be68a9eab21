package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/vpshost/local"
	"gatehouse/app/staff"
	"gatehouse/app/work"
	"gatehouse/cmd/hub/dev"
)

const (
	demoOwner = dev.OwnerAddress
	demoStaff = "staff@example.com"
)

// seeding is the demo on its way to be complete. Each step is kept before the next, so that a kill in between loses no
// secret that exists nowhere else.
type seeding struct {
	*hub
	on   *devHub
	of   account.CustomerID // once the customer is there
	demo dev.Demo
	save func(dev.Demo) error
}

// Seed makes what the demo still lacks: a customer with an order, a staff owner, API tokens. It returns when the
// customer's server is there.
func (d *devHub) Seed(ctx context.Context, known dev.Demo, save func(dev.Demo) error) (dev.Demo, error) {
	s := &seeding{hub: d.hub, on: d, demo: known, save: save}
	for _, step := range []func(context.Context) error{s.passwords, s.member, s.customer, s.approver, s.mailbox} {
		if err := step(ctx); err != nil {
			return s.demo, err
		}
	}
	d.seeded.Store(true)
	return s.demo, save(s.demo)
}

// passwords are random for each data folder.
func (s *seeding) passwords(context.Context) error {
	if s.demo.Customer.Password == "" {
		s.demo.Customer.Email, s.demo.Customer.Password = demoOwner, rand.Text()
	}
	if s.demo.Staff.Password == "" {
		s.demo.Staff.Email, s.demo.Staff.Password = demoStaff, rand.Text()
	}
	return s.save(s.demo)
}

func (s *seeding) member(ctx context.Context) error {
	if s.demo.Staff.TOTPSecret != "" {
		return nil
	}
	m, second, err := s.staff.Create(ctx, staff.NewMember{Email: s.demo.Staff.Email, Name: "Demo staff", Role: staff.Owner, Password: s.demo.Staff.Password}, audit.Itself)
	if errors.Is(err, staff.ErrTaken) {
		return errors.New("the demo's sign-ins were lost, but its data is there; move it aside with:  make reset")
	}
	if err != nil {
		return err
	}
	s.demo.Staff.TOTPSecret = second.Secret
	if err := s.save(s.demo); err != nil {
		return err
	}
	s.demo.Staff.APIToken, _, err = s.tokens.IssueToStaff(ctx, string(m.ID), "demo", 0, audit.Itself)
	return err
}

func (s *seeding) customer(ctx context.Context) error {
	_, _, err := s.orders.Checkout(ctx, account.SignUp{
		Name: "Demo owner", Business: "Demo Bakery", Email: s.demo.Customer.Email, Password: s.demo.Customer.Password, TimeZone: time.Now().Location().String(),
	}, order.Choice{Plan: pricing.Build, BusinessType: "craft", Provider: local.Name})
	if err != nil && !errors.Is(err, account.ErrEmailTaken) {
		return err
	}
	owner, err := s.accounts.SignIn(ctx, s.demo.Customer.Email, s.demo.Customer.Password)
	if err != nil {
		return fmt.Errorf("the demo owner's password does not fit the data; move it aside with make reset: %w", err)
	}
	if s.demo.Customer.APIToken == "" {
		if s.demo.Customer.APIToken, _, err = s.tokens.IssueToUser(ctx, owner, "demo", 0, audit.Itself); err != nil {
			return err
		}
	}
	if err := s.confirm(ctx, owner); err != nil {
		return err
	}
	s.of = owner.CustomerID
	return s.server(ctx, owner.CustomerID)
}

// confirm follows the link to the demo owner's address, so that the demo shows the mails that only a confirmed address gets.
func (s *seeding) confirm(ctx context.Context, owner account.User) error {
	if owner.Verified() {
		return nil
	}
	l, err := s.accounts.Letter(ctx, work.SendMail{Template: string(account.LinkVerify), UserID: string(owner.ID)})
	if err == nil {
		_, err = s.accounts.Verify(ctx, l.Token)
	}
	if err != nil {
		return fmt.Errorf("confirm the demo owner's address: %w", err)
	}
	return nil
}

// server waits until the demo's order is fulfilled; one that failed last time is tried again once.
func (s *seeding) server(ctx context.Context, of account.CustomerID) error {
	o, err := s.orders.Of(ctx, of)
	if err != nil {
		return err
	}
	if o.State == order.Failed {
		if o, err = s.orders.Retry(ctx, of, o.ID, audit.Itself); err != nil {
			return err
		}
	}
	err = until(ctx, func() (bool, error) {
		if o, err = s.orders.Of(ctx, of); err == nil && (o.State == order.Failed || o.State == order.Cancelled) {
			err = fmt.Errorf("the demo's order stopped at %s: %s", o.Step(), o.Reason)
		}
		return o.State == order.Fulfilled, err
	})
	if err != nil || s.demo.ServerID == o.ServerID {
		return err
	}
	s.demo.ServerID = o.ServerID
	return s.settled(ctx, of)
}

// settled waits until the server has its month's pool: a page that signs something before that signs for settings which change
// under it.
func (s *seeding) settled(ctx context.Context, of account.CustomerID) error {
	return until(ctx, func() (bool, error) {
		now, err := s.team.State(ctx, of)
		return now.Refused() || now.Config.Spend.Pool != nil && now.Applied == now.Config.Version, err
	})
}

// until asks again and again until something is so.
func until(ctx context.Context, so func() (bool, error)) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := so(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
