package jobs_test

import (
	"context"
	"testing"
	"time"

	"gatehouse/app/closing"
	"gatehouse/app/order"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
)

// TestCloseAccount: a customer whose server was given back is erased some days later by one job, also when it is queued twice; before
// that, and while money is open, nobody is. The address is free for somebody new then.
func TestCloseAccount(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	queue, err := jobs.NewQueue(b.db.Pool, quiet)
	if err != nil {
		t.Fatal(err)
	}
	store := &db.Closing{DB: b.db, Jobs: queue}
	ahead := 0 * time.Hour
	accounts := &closing.Service{Store: store, Now: func() time.Time { return time.Now().Add(ahead) }}
	deps := b.deps(time.Now)
	deps.Accounts = &closing.Service{Store: store, Now: func() time.Time { return time.Now().Add(8 * 24 * time.Hour) }}
	b.work(t, deps)
	u, o := b.checkout(t)
	b.reaches(t, o, order.Fulfilled)
	ended, err := b.orders.End(t.Context(), o.CustomerID, o.ID, order.Closed, manager)
	if err != nil {
		t.Fatal(err)
	}
	if err := deps.Accounts.Close(t.Context(), o.CustomerID); err != nil { // its server is there: nothing happens
		t.Fatal(err)
	}
	later := *b.orders
	later.Now = func() time.Time { return ended.ReleaseAt.Add(time.Second) }
	if n, err := later.ReleaseDue(t.Context()); n != 1 || err != nil {
		t.Fatalf("released %d, %v", n, err)
	}
	b.reaches(t, o, order.Released)
	released, err := b.orders.Find(t.Context(), o.ID)
	if err != nil {
		t.Fatal(err)
	}
	ahead = time.Until(released.UpdatedAt) + 6*24*time.Hour
	if n, err := accounts.QueueDue(t.Context()); n != 0 || err != nil {
		t.Errorf("%d queued before the days are over, %v", n, err)
	}
	st, err := accounts.Of(t.Context(), o.CustomerID)
	if err != nil || st.Erasure != nil || !st.Due.Equal(released.UpdatedAt.Add(7*24*time.Hour)) {
		t.Errorf("%+v, %v", st, err)
	}
	open := `INSERT INTO billing_periods (id, customer_id, number, anchor, from_at, to_at, full_to, state, plans, closed_at)
		VALUES (gen_random_uuid(), ?, 1, '2026-03-01Z', '2026-03-01Z', '2026-04-01Z', '2026-04-01Z', 'CLOSED', '[{}]', now())`
	if _, err := b.db.ExecContext(t.Context(), open, o.CustomerID); err != nil {
		t.Fatal(err)
	}
	ahead += 2 * 24 * time.Hour
	if n, err := accounts.QueueDue(t.Context()); n != 0 || err != nil {
		t.Errorf("%d queued while a month is open, %v", n, err)
	}
	if st, err := accounts.Of(t.Context(), o.CustomerID); err != nil || st.Waits != closing.WaitMonth {
		t.Errorf("%+v, %v", st, err)
	}
	if _, err := b.db.ExecContext(t.Context(), "UPDATE billing_periods SET state = 'WAIVED'"); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		"ALTER TABLE dunnings DISABLE TRIGGER ALL", // of an invoice that another test writes
		"INSERT INTO dunnings (id, customer_id, invoice_id, state, since) SELECT gen_random_uuid(), id, gen_random_uuid(), " +
			"'past_due', now() FROM customers",
	} {
		if _, err := b.db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := accounts.QueueDue(t.Context()); n != 0 || err != nil {
		t.Errorf("%d queued while money is asked for, %v", n, err)
	}
	if st, err := accounts.Of(t.Context(), o.CustomerID); err != nil || st.Waits != closing.WaitInvoice {
		t.Errorf("%+v, %v", st, err)
	}
	if _, err := b.db.ExecContext(t.Context(), "UPDATE dunnings SET closed_at = now()"); err != nil {
		t.Fatal(err)
	}
	if n, err := accounts.QueueDue(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d queued, %v", n, err)
	}
	err = b.db.InTx(t.Context(), func(ctx context.Context, tx db.Tx) error {
		return queue.EnqueueTx(ctx, tx.PGX, []work.Item{work.CloseAccount{CustomerID: string(o.CustomerID)}})
	})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the account closed", func() bool {
		st, err := accounts.Of(t.Context(), o.CustomerID)
		return err == nil && st.Erasure != nil
	})
	var n int
	eventually(t, "both jobs done", func() bool {
		err := b.db.NewRaw("SELECT count(*) FROM river_job WHERE kind = 'close_account' AND state = 'completed'").Scan(t.Context(), &n)
		return err == nil && n == 2
	})
	err = b.db.NewRaw("SELECT count(*) FROM audit_log WHERE action = 'customer.erase'").Scan(t.Context(), &n)
	if err != nil || n != 1 {
		t.Errorf("%d records, %v", n, err)
	}
	if n, err := accounts.QueueDue(t.Context()); n != 0 || err != nil {
		t.Errorf("queued again: %d, %v", n, err)
	}
	err = b.db.NewRaw("SELECT count(*) FROM users WHERE email_folded = ?", u.Email).Scan(t.Context(), &n)
	if err != nil || n != 0 {
		t.Errorf("the address is still taken: %d, %v", n, err)
	}
}
