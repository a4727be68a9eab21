package db_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/app/order"
	"gatehouse/app/work"
	"gatehouse/db"
)

// serving stores an order whose server serves.
func serving(t *testing.T, d *db.DB) order.Order {
	t.Helper()
	n, srv := withServer(t, d)
	o := n.Order
	for _, s := range order.Path()[1:] {
		must(t, raw(t, d, fmt.Sprintf("UPDATE orders SET state = '%s', server_id = '%s', fulfilled_at = %s WHERE id = '%s'",
			s, srv.ID, map[bool]string{true: "now()", false: "NULL"}[s == order.Fulfilled], o.ID)))
	}
	o.State, o.ServerID = order.Fulfilled, string(srv.ID)
	return o
}

func raw(t *testing.T, d *db.DB, sql string) error {
	t.Helper()
	_, err := d.Pool.Exec(t.Context(), sql)
	return err
}

const nextOrder = `INSERT INTO orders (id, customer_id, ordered_by, plan, price, currency, paid_by, region, slug, mode, state, created_at, updated_at,
	standing, replaces) SELECT gen_random_uuid(), customer_id, ordered_by, plan, price, currency, paid_by, region, slug || %s, mode,
	'PAYMENT_CONFIRMED', created_at, updated_at, '%s', %s FROM orders WHERE id = '%s'`

// TestOrders_end_rawRefusals: what the rules about the end of orders and about replacements forbid, Postgres refuses by itself.
func TestOrders_end_rawRefusals(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	o, young, other := serving(t, d), placed(t, d).Order, serving(t, d)
	must(t, raw(t, d, fmt.Sprintf(nextOrder, "'2'", "next", "id", other.ID)))
	ended := "UPDATE orders SET state='ENDED', end_reason='closed', release_at=now(), ended_at=now() WHERE id='%s'"
	for name, sql := range map[string]string{
		"ended without a day":         fmt.Sprintf("UPDATE orders SET state='ENDED', end_reason='closed' WHERE id='%s'", o.ID),
		"ended at no time":            fmt.Sprintf("UPDATE orders SET state='ENDED', end_reason='closed', release_at=now() WHERE id='%s'", o.ID),
		"ended without a reason":      fmt.Sprintf("UPDATE orders SET state='ENDED', release_at=now(), ended_at=now() WHERE id='%s'", o.ID),
		"released at once":            fmt.Sprintf("UPDATE orders SET state='RELEASING', end_reason='closed' WHERE id='%s'", o.ID),
		"former while it serves":      fmt.Sprintf("UPDATE orders SET standing='former' WHERE id='%s'", o.ID),
		"ended while it is replaced":  fmt.Sprintf(ended, other.ID),
		"a second replacement":        fmt.Sprintf(nextOrder, "'3'", "next", "id", other.ID),
		"a replacement of nothing":    fmt.Sprintf(nextOrder, "'4'", "next", "NULL", o.ID),
		"a replacement of what waits": fmt.Sprintf(nextOrder, "'5'", "next", "id", young.ID),
		"of another customer's":       fmt.Sprintf(nextOrder, "'6'", "next", "'"+string(other.ID)+"'", o.ID),
		"a second one that counts":    fmt.Sprintf(nextOrder, "'7'", "main", "NULL", o.ID),
		"next becomes main by itself": fmt.Sprintf("UPDATE orders SET standing='main' WHERE replaces='%s'", other.ID),
		"another is replaced":         fmt.Sprintf("UPDATE orders SET replaces='%s' WHERE id='%s'", young.ID, o.ID),
		"a server stops serving":      fmt.Sprintf("UPDATE servers SET next=true WHERE id='%s'", o.ServerID),
	} {
		err := raw(t, d, sql)
		if code := db.SQLState(err); code != "GH001" && code != "23514" && code != "23505" {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, raw(t, d, fmt.Sprintf(ended, o.ID)))
	must(t, raw(t, d, fmt.Sprintf("UPDATE servers SET revoked_at=now(), state='revoked' WHERE id='%s'", o.ServerID)))
	if err := raw(t, d, fmt.Sprintf("UPDATE servers SET revoked_at=NULL, state='online' WHERE id='%s'", o.ServerID)); db.SQLState(
		err,
	) != "GH001" {
		t.Errorf("a server that was cut off is back: %v", err)
	}
}

// TestOrders_Lines: a log is read from its end, from a line on and before it, and searched by the letter; another order's is not in
// it. Lines are kept for 90 days, whoever asks, and go then.
func TestOrders_Lines(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	orders := &db.Orders{DB: d, Jobs: &queue{}}
	o, other := placed(t, d).Order, placed(t, d).Order
	now := time.Now().UTC()
	for id, at := range map[order.ID]time.Time{o.ID: now, other.ID: now.Add(-91 * 24 * time.Hour)} {
		of := map[order.ID]order.Order{o.ID: o, other.ID: other}[id]
		must(t, orders.Log(t.Context(), of.CustomerID, id, []order.Line{
			{
				At:    at,
				State: order.Provisioning,
				Text:  "one 50% done",
			}, {At: at, State: order.Provisioning, Text: "two 500 done"}, {At: at, State: order.Provisioning, Text: "three"},
		}))
	}
	read := func(f order.LineFilter) (texts []string, last int64) {
		t.Helper()
		lines, err := orders.Lines(t.Context(), o.ID, f)
		must(t, err)
		for _, l := range lines {
			texts, last = append(texts, strings.Fields(l.Text)[0]), l.ID
		}
		return texts, last
	}
	all, last := read(order.LineFilter{Limit: 10})
	if fmt.Sprint(all) != "[Paid. one two three]" {
		t.Errorf("log %v", all)
	}
	for want, f := range map[string]order.LineFilter{
		"[two three]": {Limit: 2}, "[three]": {Limit: 10, After: last - 1}, "[Paid. one two]": {Limit: 10, Before: last},
		"[one]": {Limit: 10, Search: "50%"}, "[]": {Limit: 10, After: last},
	} {
		if got, _ := read(f); fmt.Sprint(got) != want {
			t.Errorf("%+v: %v, want %s", f, got, want)
		}
	}
	if err := raw(t, d, fmt.Sprintf("DELETE FROM order_log WHERE order_id = '%s'", o.ID)); db.SQLState(err) != "GH001" {
		t.Errorf("young lines were removed: %v", err)
	}
	if err := raw(t, d, "UPDATE order_log SET text = 'x'"); db.SQLState(err) != "GH001" {
		t.Errorf("lines were rewritten: %v", err)
	}
	if n, err := orders.ForgetLines(t.Context(), now.Add(-90*24*time.Hour)); n < 3 || err != nil {
		t.Errorf("forgot %d, %v", n, err)
	}
}

// TestOrders_alerts: the customer of a late order is told once; our staff who may act are told of it once, and once of each failure.
func TestOrders_alerts(t *testing.T) {
	t.Parallel()
	d, q := fresh(t), &queue{}
	orders := &db.Orders{DB: d, Jobs: q}
	before := time.Now().UTC().Add(-order.Promise)
	late, failed := placed(t, d).Order, placed(t, d).Order // ordered at t0, long ago
	serving(t, d)
	quick := placed(t, d).Order
	must(t, raw(t, d, fmt.Sprintf("UPDATE orders SET created_at = now() WHERE id IN ('%s', '%s')", quick.ID, failed.ID)))
	fail := fmt.Sprintf(
		"UPDATE orders SET state='FAILED', failed_step='PAYMENT_CONFIRMED', reason='x', attempt=attempt+1 WHERE id='%s'",
		failed.ID,
	)
	must(t, raw(t, d, fail))
	for _, role := range []string{"OWNER", "SUPPORT"} {
		must(t, raw(t, d, fmt.Sprintf(`INSERT INTO staff (id, email, email_folded, name, role, password_hash, totp_secret, created_at)
			VALUES (gen_random_uuid(), '%[1]s', '%[1]s', 'x', '%[1]s', '%[2]s', '', now())`, role, somebodysHash)))
	}
	s := &order.Service{Store: orders, Now: time.Now}
	alerts, total, err := s.Alerts(t.Context(), 10)
	must(t, err)
	if total != 2 || len(alerts) != 2 || alerts[0].ID != late.ID || !alerts[0].Late || alerts[1].ID != failed.ID || alerts[1].Late {
		t.Errorf("alerts %+v of %d", alerts, total)
	}
	if some, total, err := s.Alerts(t.Context(), 1); len(some) != 1 || total != 2 || err != nil {
		t.Errorf("cut: %d of %d, %v", len(some), total, err)
	}
	tell := func(customers, staff int) {
		t.Helper()
		q.items = nil
		n, err := orders.TellLate(t.Context(), time.Now().UTC(), before)
		m, err2 := orders.TellStaff(t.Context(), before, []string{"OWNER", "ADMIN"})
		must(t, err)
		must(t, err2)
		if n != customers || m != staff || len(q.items) != customers+staff {
			t.Errorf("told %d customers and staff of %d, with %d letters; want %d and %d", n, m, len(q.items), customers, staff)
		}
	}
	tell(1, 2)
	if got := q.items[0].(work.SendMail); got.Template != order.LetterLate || got.UserID != string(late.OrderedBy) {
		t.Errorf("letter %+v", got)
	}
	tell(0, 0)
	must(t, raw(t, d, fmt.Sprintf("UPDATE orders SET state='PAYMENT_CONFIRMED', failed_step=NULL, reason='' WHERE id='%s'", failed.ID)))
	tell(0, 0)
	must(t, raw(t, d, fail))
	tell(0, 1)
}
