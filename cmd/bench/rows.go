package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/server"
	"gatehouse/app/signin"
	"gatehouse/app/work"
	"gatehouse/db"
)

// noHash stands where a password's hash stands; no password fits it.
const noHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// noJobs takes orders that lead to no work.
type noJobs struct{}

func (noJobs) EnqueueTx(context.Context, pgx.Tx, []work.Item) error { return nil }

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// customer adds a business with one person and an order that waits for staff, so that the hub leaves it alone.
func (s *Stage) customer(ctx context.Context) (order.Order, error) {
	now, id := time.Now().UTC().Truncate(time.Microsecond), newID()
	c := account.Customer{ID: account.CustomerID(id), Name: "Bakery " + id[24:], TimeZone: "UTC", CreatedAt: now}
	u := account.User{
		ID: account.UserID(newID()), CustomerID: c.ID, Email: id + "@example.com", Name: "The owner", Role: account.Owner, CreatedAt: now,
	}
	return (&db.Orders{DB: s.db, Jobs: noJobs{}}).Create(ctx, order.New{
		Order: order.Order{
			ID: order.ID(newID()), CustomerID: c.ID, OrderedBy: u.ID, Plan: pricing.Build, Price: 45_00, Currency: "EUR", PaidBy: "test",
			Region: order.EU, Slug: "bench-" + id[24:], Mode: order.Manual, State: order.PaymentConfirmed, CreatedAt: now, UpdatedAt: now,
		},
		Account: &account.New{Customer: c, Owner: u, PasswordHash: noHash},
		Change:  order.Change{Events: []order.Event{{At: now, Kind: order.EventState, State: order.PaymentConfirmed, Text: "Paid.", By: "bench"}}},
	})
}

// server adds a server to an order, and a token to register it with.
func (s *Stage) server(ctx context.Context, o order.Order) (server.ID, string, error) {
	rows := &db.Servers{DB: s.db}
	id := server.ID(newID())
	err := rows.Create(ctx, server.Server{
		ID: id, CustomerID: o.CustomerID, OrderID: string(o.ID), Slug: o.Slug, Provider: "local", State: server.New, CreatedAt: o.CreatedAt,
	})
	if err != nil {
		return "", "", err
	}
	token, err := (&server.Service{Store: rows, Now: time.Now}).Mint(ctx, id)
	return id, token, err
}

// cookie signs a person in, without the password's cost, and gives the header that the browser sends.
func (s *Stage) cookie(ctx context.Context, of account.CustomerID, user account.UserID) (string, error) {
	desk := signin.Desk{Store: &db.Signins{DB: s.db}, Now: time.Now}
	_, secret, err := desk.Open(ctx, signin.Customer, signin.Subject{CustomerID: string(of), UserID: string(user)}, signin.Origin{Address: "127.0.0.1", Browser: "bench"}, "")
	if err != nil {
		return "", fmt.Errorf("sign in: %w", err)
	}
	return "Cookie: sid=" + secret + "\r\n", nil
}

// browser opens a connection with the cookie of the demo's customer.
func (s *Stage) browser(ctx context.Context) (*conn, error) {
	cookie, err := s.cookie(ctx, s.owner.CustomerID, s.owner.ID)
	if err != nil {
		return nil, err
	}
	return dial(ctx, s.hub.Addr, cookie)
}
