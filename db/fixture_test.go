package db_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/server"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// t0 is when the tests happen: whole microseconds, as Postgres keeps them.
var t0 = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// somebodysHash has the form of a password hash; no password fits it.
const somebodysHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// queue records what was queued; it stands for River where only the asking matters.
type queue struct {
	mu    sync.Mutex
	items []work.Item
	err   error // answered instead of queueing
}

func (q *queue) EnqueueTx(_ context.Context, _ pgx.Tx, items []work.Item) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil {
		return q.err
	}
	q.items = append(q.items, items...)
	return nil
}

func id(t testing.TB) string {
	t.Helper()
	v, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return v.String()
}

// newOrder is a newcomer's paid order, not stored yet.
func newOrder(t testing.TB) order.New {
	t.Helper()
	c := account.Customer{ID: account.CustomerID(id(t)), Name: "Example Bakery", TimeZone: "Europe/Vienna", CreatedAt: t0}
	u := account.User{
		ID: account.UserID(id(t)), CustomerID: c.ID, Email: "Someone+" + id(t) + "@Example.com", Name: "Somebody",
		Role: account.Owner, CreatedAt: t0,
	}
	return order.New{
		Order: order.Order{
			ID: order.ID(id(t)), CustomerID: c.ID, OrderedBy: u.ID, Plan: pricing.Build, Price: 45_00, Currency: "EUR", PaidBy: "test",
			Region: order.EU, Slug: "bakery-" + id(t)[24:], Mode: order.Auto, State: order.PaymentConfirmed, CreatedAt: t0, UpdatedAt: t0,
		},
		Account: &account.New{Customer: c, Owner: u, PasswordHash: somebodysHash},
		Change:  order.Change{Events: []order.Event{{At: t0, Kind: order.EventState, State: order.PaymentConfirmed, Text: "Paid.", By: "x"}}},
	}
}

// placed stores a newcomer's order.
func placed(t testing.TB, d *db.DB) order.New {
	t.Helper()
	n := newOrder(t)
	if _, err := (&db.Orders{DB: d, Jobs: &queue{}}).Create(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	return n
}

// withServer stores a newcomer's order and its server.
func withServer(t testing.TB, d *db.DB) (order.New, server.Server) {
	t.Helper()
	n := placed(t, d)
	srv := server.Server{
		ID: server.ID(id(t)), CustomerID: n.Order.CustomerID, OrderID: string(n.Order.ID), Slug: n.Order.Slug,
		Provider: "local", State: server.New, CreatedAt: t0,
	}
	if err := (&db.Servers{DB: d}).Create(t.Context(), srv); err != nil {
		t.Fatal(err)
	}
	return n, srv
}

func fresh(t testing.TB) *db.DB { return dbtest.New(t) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t testing.TB, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("error %v, want %v", got, want)
	}
}

func wantKind(t testing.TB, err error, want fault.Kind) {
	t.Helper()
	if err == nil || fault.Of(err).Kind != want {
		t.Fatalf("error %v, want one of kind %s", err, want)
	}
}

// deaf is told of changes and tells nobody.
type deaf struct{}

func (deaf) OrderChanged(context.Context, account.CustomerID, order.ID)   {}
func (deaf) ServerChanged(context.Context, account.CustomerID, server.ID) {}

func contains(s, part string) bool { return strings.Contains(s, part) }
