package backup_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/server"
	"gatehouse/db"
	"gatehouse/db/backup"
	"gatehouse/db/dbtest"
)

// ended stores a newcomer's order whose server is released at a moment that Postgres reads.
func ended(t *testing.T, d *db.DB, releaseAt string) (orderID string) {
	t.Helper()
	now := time.Now()
	c := account.Customer{ID: account.CustomerID(uuid.NewString()), Name: "Example Bakery", TimeZone: "Europe/Vienna", CreatedAt: now}
	u := account.User{
		ID: account.UserID(uuid.NewString()), CustomerID: c.ID, Email: uuid.NewString() + "@example.com", Name: "Somebody",
		Role: account.Owner, CreatedAt: now,
	}
	hash, err := account.NewHasher().Hash(t.Context(), "three quiet bakers at dawn")
	must(t, err)
	orderID = uuid.NewString()
	_, err = (&db.Orders{DB: d, Jobs: dbtest.NoJobs{}}).Create(t.Context(), order.New{
		Order: order.Order{
			ID: order.ID(orderID), CustomerID: c.ID, OrderedBy: u.ID, Plan: pricing.Build, Price: 45_00, Currency: "EUR", PaidBy: "test",
			Region: order.EU, Slug: "bakery-" + orderID[:8], Mode: order.Auto, State: order.PaymentConfirmed,
			CreatedAt: now, UpdatedAt: now,
		},
		Account: &account.New{Customer: c, Owner: u, PasswordHash: hash},
	})
	must(t, err)
	srv := uuid.NewString()
	must(t, (&db.Servers{DB: d}).Create(t.Context(), server.Server{
		ID: server.ID(srv), CustomerID: c.ID, OrderID: orderID, Slug: "bakery-" + orderID[:8], Provider: "local", State: server.New,
		CreatedAt: now,
	}))
	for _, s := range order.Path()[1:] {
		_, err := d.Pool.Exec(t.Context(), `UPDATE orders SET state = $1, server_id = $2,
			fulfilled_at = CASE $1 WHEN 'FULFILLED' THEN now() END WHERE id = $3`, string(s), srv, orderID)
		must(t, err)
	}
	_, err = d.Pool.Exec(t.Context(), fmt.Sprintf(
		"UPDATE orders SET state = 'ENDED', end_reason = 'closed', release_at = %s, ended_at = now() WHERE id = $1", releaseAt), orderID)
	must(t, err)
	return orderID
}

// TestRestore_grace: whose server was about to be released has some days left after a restore; who has longer keeps that.
func TestRestore_grace(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	d, err := db.Open(t.Context(), h.dsn)
	must(t, err)
	due, later := ended(t, d, "now() - interval '1 hour'"), ended(t, d, "now() + interval '20 days'")
	d.Close()
	back := empty(t)
	must(t, h.restore(t, h.written(t).Path, back, filepath.Join(t.TempDir(), "secret.key")))
	conn, err := pgx.Connect(t.Context(), back)
	must(t, err)
	for id, days := range map[string]int{due: backup.GraceDays, later: 20} {
		var at time.Time
		must(t, conn.QueryRow(t.Context(), "SELECT release_at FROM orders WHERE id = $1 AND state = 'ENDED'", id).Scan(&at))
		want := time.Now().AddDate(0, 0, days)
		if off := want.Sub(at); off < 0 || off > time.Hour {
			t.Errorf("released at %s, want about %s", at, want)
		}
	}
	must(t, conn.Close(t.Context()))
}

// TestRestore_graceOfOlder: a backup of a program that knew no end of orders comes back all the same.
func TestRestore_graceOfOlder(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	execute(t, h.dsn, "ALTER TABLE orders DROP COLUMN release_at CASCADE")
	must(t, h.restore(t, h.written(t).Path, empty(t), filepath.Join(t.TempDir(), "secret.key")))
}
