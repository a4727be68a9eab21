package db_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/db"
)

// TestOrders_state_everyChange asks Postgres, by raw SQL, for every change of state from every state, for failed orders
// from every step, and compares what it allows with order.Legal.
func TestOrders_state_everyChange(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	o := n.Order
	count := 0
	for _, from := range order.States() {
		for _, step := range stepsOf(from) {
			for _, to := range order.States() {
				if from == to {
					continue
				}
				ok := tryMove(t, d, o.ID, string(srv.ID), from, step, to)
				if want := order.Legal(from, step, to); ok != want {
					t.Errorf("%s (failed at %q) to %s: Postgres says %v, Go says %v", from, step, to, ok, want)
				}
				if ok {
					count++
				}
			}
		}
	}
	const forward, fail, retry, cancel, stop, end = 6, 8, 8, 5 + 5, 2 + 1, 3 + 1
	if want := forward + fail + retry + cancel + stop + end; count != want {
		t.Errorf("%d changes are allowed, want %d", count, want)
	}
}

// stepsOf lists the steps at which an order of that state may have failed.
func stepsOf(s order.State) []order.State {
	if s != order.Failed {
		return []order.State{""}
	}
	path := order.Path()
	return append(path[:len(path)-1], order.Stopping, order.Releasing)
}

// tryMove puts the order into from, with the guard switched off, then asks for to; everything is rolled back.
func tryMove(t *testing.T, d *db.DB, o order.ID, srv string, from, step, to order.State) bool {
	t.Helper()
	ctx := t.Context()
	tx, err := d.Pool.Begin(ctx)
	must(t, err)
	defer func() { must(t, tx.Rollback(context.WithoutCancel(ctx))) }()
	exec := func(sql string) {
		t.Helper()
		_, err := tx.Exec(ctx, sql)
		must(t, err)
	}
	exec("ALTER TABLE orders DISABLE TRIGGER orders_guard")
	exec(update(o, srv, from, step))
	exec("ALTER TABLE orders ENABLE TRIGGER orders_guard")
	if to == order.Failed {
		step = from
	} else {
		step = ""
	}
	return allowed(t, tx, update(o, srv, to, step))
}

// allowed runs sql and says whether it was allowed; a refusal must be one of the guard or a check.
func allowed(t *testing.T, tx pgx.Tx, sql string) bool {
	t.Helper()
	_, err := tx.Exec(t.Context(), sql)
	if err != nil && db.SQLState(err) != "GH001" && db.SQLState(err) != "23514" {
		t.Fatalf("%s: %v", sql, err)
	}
	return err == nil
}

func update(o order.ID, srv string, s, step order.State) string {
	failed, reason, fulfilled, release, why := "NULL", "", "NULL", "NULL", ""
	if s == order.Failed {
		failed, reason = "'"+string(step)+"'", "because"
	}
	if at := (order.Order{State: s, FailedStep: step}).Step(); at == order.Ended || at == order.Releasing || at == order.Released {
		fulfilled, release, why = "now()", "now()", "closed"
	}
	if s == order.Fulfilled {
		fulfilled = "now()"
	}
	return fmt.Sprintf("UPDATE orders SET state = '%s', failed_step = %s, reason = '%s', fulfilled_at = %s, release_at = %[5]s, ended_at = %[5]s, "+
		"end_reason = '%[6]s', server_id = '%[7]s' WHERE id = '%[8]s'", s, failed, reason, fulfilled, release, why, srv, o)
}

func TestOrders_state_rawRefusals(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	o, other := placed(t, d).Order, placed(t, d).Order
	for name, sql := range map[string]string{
		"failed at another step":   "UPDATE orders SET state='FAILED', failed_step='PROVISIONING', reason='x' WHERE id='%s'",
		"failed without a reason":  "UPDATE orders SET state='FAILED', failed_step='PAYMENT_CONFIRMED' WHERE id='%s'",
		"a failed step while live": "UPDATE orders SET failed_step='PAYMENT_CONFIRMED', reason='x' WHERE id='%s'",
		"an unknown state":         "UPDATE orders SET state='LOST' WHERE id='%s'",
		"another customer": "UPDATE orders SET customer_id='" + string(other.CustomerID) +
			"', ordered_by='" + string(other.OrderedBy) + "' WHERE id='%s'",
		"a negative price":  "UPDATE orders SET price=-1 WHERE id='%s'",
		"history rewritten": "UPDATE order_events SET text='x' WHERE order_id='%s'",
		"history removed":   "DELETE FROM order_events WHERE order_id='%s'",
		"no order left":     "DELETE FROM orders WHERE id='%s'",
		"begun in the middle": "INSERT INTO orders (id,customer_id,ordered_by,plan,price,currency,paid_by,region,slug,mode,state," +
			"created_at,updated_at) " +
			"SELECT gen_random_uuid(),customer_id,ordered_by,plan,price,currency,paid_by,region,slug||'2',mode,'CANCELLED'," +
			"created_at,updated_at FROM orders WHERE id='%s'",
	} {
		if _, err := d.Pool.Exec(t.Context(), fmt.Sprintf(sql, o.ID)); err == nil {
			t.Errorf("%s: Postgres allowed it", name)
		}
	}
	got, err := (&db.Orders{DB: d}).Get(t.Context(), o.CustomerID, o.ID)
	must(t, err)
	if got.State != order.PaymentConfirmed {
		t.Errorf("state %s after refused changes", got.State)
	}
}

// TestOrders_Change_illegal shows that a program which forgets the rule meets the database's, as a Conflict.
func TestOrders_Change_illegal(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	o := placed(t, d).Order
	_, err := (&db.Orders{DB: d, Jobs: &queue{}}).Change(t.Context(), o.CustomerID, o.ID, func(o *order.Order) (order.Change, error) {
		o.State = order.DNSReady
		return order.Change{}, nil
	})
	wantErr(t, err, db.ErrIllegal)
	wantKind(t, err, fault.Conflict)
}
