package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/receipt"
	"gatehouse/app/server"
	"gatehouse/db"
)

// TestHolds: a server on hold is listed, and released with a reason, on record and once.
func TestHolds(t *testing.T) {
	t.Parallel()
	env := environment(t)
	d, err := db.Open(t.Context(), env["DATABASE_URL"])
	ok(t, err)
	defer d.Close()
	id := ordered(t, d)
	ok(t, (&db.Checkpoints{DB: d}).Hold(t.Context(), receipt.Hold{Server: id, Why: "its log went back", At: time.Now().UTC()}))
	holds := func(args ...string) (int, string) {
		var out output
		code := run(t.Context(), call{args: append([]string{"holds"}, args...), env: env, out: &out, err: &out})
		return code, out.String()
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 2, "list and release"},
		{[]string{"release"}, 2, "list and release"},
		{[]string{"release", "everything"}, 2, "list and release"},
		{[]string{"release", string(id), "and", "more"}, 2, "--reason"},
		{[]string{"list"}, 0, string(id)},
		{[]string{"list"}, 0, "its log went back"},
		{[]string{"release", string(id)}, 1, "who looked"},
		{[]string{"release", uuid.NewString(), "--reason", "another"}, 1, "not on hold"},
		{[]string{"release", string(id), "--reason", "its disk was restored on Monday"}, 0, "released"},
		{[]string{"release", string(id), "--reason", "again"}, 1, "not on hold"},
		{[]string{"list"}, 0, "0 on hold"},
	} {
		if code, out := holds(c.args...); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%q: exit %d, %s", c.args, code, out)
		}
	}
	var reason string
	ok(t, d.Pool.QueryRow(t.Context(), "SELECT details->>'reason' FROM audit_log WHERE action = 'server.release'").Scan(&reason))
	if reason != "its disk was restored on Monday" {
		t.Errorf("on record: %q", reason)
	}
}

// ordered adds a customer with a server that is not set up yet.
func ordered(t *testing.T, d *db.DB) server.ID {
	t.Helper()
	now := time.Now().UTC()
	of, by := account.CustomerID(uuid.NewString()), account.UserID(uuid.NewString())
	o, err := (&db.Orders{DB: d, Jobs: noJobs{}}).Create(t.Context(), order.New{
		Order: order.Order{
			ID: order.ID(uuid.NewString()), CustomerID: of, OrderedBy: by, Plan: pricing.Build, Price: 45_00, Currency: "EUR", PaidBy: "test",
			Region: order.EU, Slug: "bakery", Mode: order.Auto, State: order.PaymentConfirmed, CreatedAt: now, UpdatedAt: now,
		},
		Account: &account.New{
			Customer:     account.Customer{ID: of, Name: "Example Bakery", TimeZone: "UTC", CreatedAt: now},
			Owner:        account.User{ID: by, CustomerID: of, Email: "someone@example.com", Name: "Somebody", Role: account.Owner, CreatedAt: now},
			PasswordHash: "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		},
	})
	ok(t, err)
	id := server.ID(uuid.NewString())
	ok(t, (&db.Servers{DB: d}).Create(t.Context(), server.Server{ID: id, CustomerID: of, OrderID: string(o.ID), Slug: "bakery", Provider: "local", State: server.New, CreatedAt: now}))
	return id
}
