package pool_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/order"
	machines "gatehouse/app/pool"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/pool"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/server"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// somebodysHash has the form of a password hash; no password fits it.
const somebodysHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// ordered is the server of a newcomer's order.
func ordered(t *testing.T, d *db.DB) string {
	t.Helper()
	at := time.Now().UTC()
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	c := account.Customer{ID: account.CustomerID(newID()), Name: "Example Bakery", TimeZone: "Europe/Vienna", CreatedAt: at}
	u := account.User{
		ID: account.UserID(newID()), CustomerID: c.ID, Email: newID() + "@example.com", Name: "Somebody", Role: account.Owner,
		CreatedAt: at,
	}
	o := order.Order{
		ID: order.ID(newID()), CustomerID: c.ID, OrderedBy: u.ID, Plan: pricing.Build, Price: 45_00, Currency: "EUR", PaidBy: "test",
		Region: order.EU, Slug: "bakery-" + newID()[24:], Mode: order.Auto, State: order.PaymentConfirmed, CreatedAt: at, UpdatedAt: at,
	}
	_, err := (&db.Orders{DB: d, Jobs: dbtest.NoJobs{}}).Create(t.Context(), order.New{
		Order: o, Account: &account.New{Customer: c, Owner: u, PasswordHash: somebodysHash},
		Change: order.Change{Events: []order.Event{{At: at, Kind: order.EventState, State: o.State, Text: "Paid.", By: "x"}}},
	})
	srv := server.Server{
		ID: server.ID(newID()), CustomerID: c.ID, OrderID: string(o.ID), Slug: o.Slug, Provider: pool.Name, State: server.New,
		CreatedAt: at,
	}
	if err == nil {
		err = (&db.Servers{DB: d}).Create(t.Context(), srv)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(srv.ID)
}

// TestBegun: a machine whose set-up was begun is never free by itself, whoever gives it back and however often, and no order gets it.
// Only our staff free it, and it is a machine then that nobody has met.
func TestBegun(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	kept, setups := &db.Pool{DB: d}, &db.Setups{DB: d, Now: time.Now}
	h := &pool.Host{Machines: kept, Site: &setup.Site{Setups: setups}}
	staff := &machines.Service{Store: kept, Now: time.Now}
	for n, giveBack := range []func(serverID string) error{
		func(serverID string) error { return h.Release(t.Context(), serverID) },
		func(serverID string) error { return h.Retire(t.Context(), serverID) },
	} {
		add(t, kept, n+1)
		id := ordered(t, d)
		if err := h.Allocate(t.Context(), vpshost.Spec{ServerID: id, Region: "eu"}); err != nil {
			t.Fatal(err)
		}
		m, err := kept.OfServer(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = kept.Change(t.Context(), m.ID, func(m *machines.Machine) (*audit.Entry, error) {
			m.Port, m.HostKey = 22022, "ssh-ed25519 AAAA" // as a set-up notes it
			return nil, nil
		})
		if err == nil {
			_, err = setups.Begin(t.Context(), id)
		}
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := giveBack(id); err != nil {
				t.Fatal(err)
			}
			if m, err = kept.Get(t.Context(), m.ID); err != nil || m.State != machines.NeedsHands || m.ServerID != id {
				t.Fatalf("given back: %+v, %v", m, err)
			}
		}
		var none *vpshost.RefusedError
		if err := h.Allocate(t.Context(), vpshost.Spec{ServerID: ordered(t, d), Region: "eu"}); !errors.As(err, &none) {
			t.Errorf("another order asks for a machine: %v", err)
		}
		if _, err := staff.Hold(t.Context(), m.ID, audit.Itself); !errors.Is(err, machines.ErrState) {
			t.Errorf("it was held, and could be freed from there: %v", err)
		}
		m, err = staff.Free(t.Context(), m.ID, audit.Itself)
		if err != nil || m.State != machines.Free || m.ServerID != "" || m.HostKey != "" || m.Port != 22 {
			t.Errorf("freed by hand: %+v, %v", m, err)
		}
		if _, err := staff.Hold(t.Context(), m.ID, audit.Itself); err != nil {
			t.Fatal(err)
		}
	}
}
