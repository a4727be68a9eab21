package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/db"
)

// recorded writes records a minute apart, the first at t0.
func recorded(t testing.TB, d *db.DB, all ...audit.Entry) {
	t.Helper()
	for i, e := range all {
		e.ID, e.At = id(t), t0.Add(time.Duration(i)*time.Minute)
		if e.By == (audit.Actor{}) {
			e.By = audit.Itself
		}
		must(t, (&db.Trail{DB: d}).Add(t.Context(), e))
	}
}

// TestAudit_Find: each filter leaves what it says, and they narrow together.
func TestAudit_Find(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	other := placed(t, d)
	number := numberOf(t, d, n.Order.ID)
	clerk := audit.Actor{Kind: audit.Staff, ID: id(t), Name: "Clerk@example.com", Role: "ADMIN", Address: "192.0.2.1"}
	owner := audit.Actor{Kind: audit.User, ID: string(n.Order.OrderedBy), Name: "owner_1@example.com"}
	of := string(n.Order.CustomerID)
	recorded(t, d,
		audit.Entry{
			By: clerk, CustomerID: of, Action: "order.retry", Target: string(n.Order.ID),
			Details: map[string]string{"from": "FAILED"},
		},
		audit.Entry{By: owner, CustomerID: of, Action: "secrets.reveal", Target: "ghost.admin_key"},
		audit.Entry{By: clerk, CustomerID: string(other.Order.CustomerID), Action: "order.retry", Target: string(other.Order.ID)},
		audit.Entry{Action: "server.release", Target: string(srv.ID)},
	)
	for situation, c := range map[string]struct {
		f      audit.Filter
		search string
		want   []string // actions, newest first
	}{
		"all":                   {want: []string{"server.release", "order.retry", "secrets.reveal", "order.retry"}},
		"an action":             {f: audit.Filter{Action: "order.retry"}, want: []string{"order.retry", "order.retry"}},
		"a person by id":        {f: audit.Filter{By: clerk.ID}, want: []string{"order.retry", "order.retry"}},
		"a person by address":   {f: audit.Filter{By: "clerk@EXAMPLE.com"}, want: []string{"order.retry", "order.retry"}},
		"how an address begins": {f: audit.Filter{By: "owner_"}, want: []string{"secrets.reveal"}},
		"no wildcard":           {f: audit.Filter{By: "%"}},
		"within an address":     {f: audit.Filter{By: "example"}},
		"a customer":            {f: audit.Filter{Customer: of}, want: []string{"secrets.reveal", "order.retry"}},
		"a customer by server": {f: audit.Filter{Customer: strings.ToUpper(n.Order.Slug)}, want: []string{
			"secrets.reveal",
			"order.retry",
		}},
		"a customer and an action": {f: audit.Filter{Customer: of, Action: "order.retry"}, want: []string{"order.retry"}},
		"from a time on":           {f: audit.Filter{From: t0.Add(2 * time.Minute)}, want: []string{"server.release", "order.retry"}},
		"before a time":            {f: audit.Filter{To: t0.Add(time.Minute)}, want: []string{"order.retry"}},
		"between": {
			f:    audit.Filter{From: t0.Add(time.Minute), To: t0.Add(2 * time.Minute)},
			want: []string{"secrets.reveal"},
		},
		"a target":               {search: "GHOST.", want: []string{"secrets.reveal"}},
		"a person's name":        {search: "lerk@", want: []string{"order.retry", "order.retry"}},
		"a customer's name":      {search: n.Order.Slug, want: []string{"secrets.reveal", "order.retry"}},
		"the number of an order": {search: fmt.Sprint(number), want: []string{"order.retry"}},
		"nothing that is there":  {search: "'; DROP TABLE audit_log; --"},
	} {
		got, err := (&db.Audit{DB: d}).Find(t.Context(), c.f, page.Ask{Search: c.search})
		must(t, err)
		var actions []string
		for _, l := range got.Items {
			actions = append(actions, l.Action)
		}
		if !slices.Equal(actions, c.want) {
			t.Errorf("%s: %v, want %v", situation, actions, c.want)
		}
	}
	if _, err := (&db.Audit{DB: d}).Find(t.Context(), audit.Filter{By: strings.Repeat("x", 101)},
		page.Ask{}); fault.Of(err).Kind != fault.Invalid {
		t.Errorf("a long name: %v", err)
	}
}

// TestAudit_Find_names: what a record names is told by name, as far as it is known.
func TestAudit_Find_names(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	of, o := string(n.Order.CustomerID), n.Order
	recorded(t, d,
		audit.Entry{CustomerID: of, Action: "a", Target: string(o.ID)}, audit.Entry{Action: "b", Target: string(srv.ID)},
		audit.Entry{Action: "c", Target: string(o.OrderedBy)}, audit.Entry{Action: "d", Target: of},
		audit.Entry{Action: "e", Target: id(t)}, audit.Entry{Action: "f", Target: "ghost.admin_key"}, audit.Entry{Action: "g"},
	)
	got, err := (&db.Audit{DB: d}).Find(t.Context(), audit.Filter{}, page.Ask{})
	must(t, err)
	slices.Reverse(got.Items)
	for i, want := range []audit.Thing{
		{Kind: "order", ID: string(o.ID), Name: fmt.Sprint(numberOf(t, d, o.ID))},
		{Kind: "server", ID: string(srv.ID), Name: srv.Slug},
		{Kind: "person", ID: string(o.OrderedBy), Name: n.Account.Owner.Email},
		{Kind: "customer", ID: of, Name: n.Account.Customer.Name},
		{},
		{},
		{},
	} {
		if got.Items[i].About != want {
			t.Errorf("%s is about %+v, want %+v", got.Items[i].Action, got.Items[i].About, want)
		}
	}
	if got.Items[0].Customer != n.Account.Customer.Name || got.Items[1].Customer != "" {
		t.Errorf("customers %q and %q", got.Items[0].Customer, got.Items[1].Customer)
	}
	actions, err := (&db.Audit{DB: d}).Actions(t.Context())
	must(t, err)
	if want := []string{"a", "b", "c", "d", "e", "f", "g"}; !slices.Equal(actions, want) {
		t.Errorf("actions %v", actions)
	}
}

func numberOf(t *testing.T, d *db.DB, of order.ID) int64 {
	t.Helper()
	o, err := (&db.Orders{DB: d, Jobs: &queue{}}).Find(t.Context(), of)
	must(t, err)
	return o.Number
}

// manyRecords is a record of that many rows: of 500 people and 200 customers, over 300 days, with 25 actions that are usual and one that is rare.
func manyRecords(t testing.TB, d *db.DB, n int) (customer string) {
	t.Helper()
	for range 200 {
		customer = string(placed(t, d).Order.CustomerID)
	}
	_, err := d.Pool.Exec(t.Context(), `INSERT INTO audit_log (id, at, by_kind, by_id, by_name, customer_id, action, target)
		SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid, at,
			'user', 'p' || i % 500,
			'person' || i % 500 || '@example.com', c.id,
			CASE WHEN i % 500 = 7 THEN 'rare.act' ELSE 'area' || i % 25 || '.act' END, gen_random_uuid()::text
		FROM (SELECT i, $2::timestamptz + i * (interval '300 days' / $1) AS at FROM generate_series(1, $1::int) AS i) AS r
		JOIN (SELECT id, row_number() OVER () - 1 AS n FROM customers) AS c ON c.n = r.i % 200`, n, t0)
	must(t, err)
	_, err = d.Pool.Exec(t.Context(), "ANALYZE")
	must(t, err)
	return customer
}

// auditAsks are questions to a long record, each with the index that answers it.
func auditAsks(customer string) map[string]struct {
	f      audit.Filter
	search string
	index  string
} {
	day := func(n int) time.Time { return t0.AddDate(0, 0, n) }
	return map[string]struct {
		f      audit.Filter
		search string
		index  string
	}{
		"newest":   {index: "audit_log_pkey"},
		"action":   {f: audit.Filter{Action: "rare.act"}, index: "audit_log_action"},
		"person":   {f: audit.Filter{By: "person77@example.com"}, index: "audit_log_name"},
		"customer": {f: audit.Filter{Customer: customer}, index: "audit_log_customer"},
		"day":      {f: audit.Filter{From: day(100), To: day(101)}, index: "audit_log_at"},
		"text":     {search: "no such thing"},
	}
}

// plan catches what questions to a table would be answered by.
type plan struct {
	d    *db.DB
	of   string // the table
	text string
}

// watched is the database with the plan of what is asked of a table.
func watched(d *db.DB, table string) (*db.DB, *plan) {
	hook := &plan{d: d, of: table}
	return &db.DB{DB: d.WithQueryHook(hook), Pool: d.Pool}, hook
}

func (p *plan) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

func (p *plan) AfterQuery(ctx context.Context, e *bun.QueryEvent) {
	if !strings.Contains(e.Query, p.of) {
		return
	}
	rows, err := p.d.Pool.Query(ctx, "EXPLAIN "+e.Query)
	if err != nil {
		p.text = err.Error()
		return
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			p.text = err.Error()
			return
		}
		p.text += line + "\n"
	}
}

// TestAudit_Find_indexes: over a long record every filter is answered by its index, never by reading all rows.
func TestAudit_Find_indexes(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	customer := manyRecords(t, d, 30_000)
	for situation, c := range auditAsks(customer) {
		if c.index == "" {
			continue // a part of a word stands in no index
		}
		seen, hook := watched(d, "audit_log")
		of, err := (&db.Audit{DB: seen}).Find(t.Context(), c.f, page.Ask{Search: c.search})
		must(t, err)
		if len(of.Items) != page.DefaultLimit || !strings.Contains(hook.text, c.index) || strings.Contains(hook.text,
			"Seq Scan on audit_log") {
			t.Errorf("%s: %d records, by\n%s", situation, len(of.Items), hook.text)
		}
	}
}

// BenchmarkAudit measures a page of a record of 100,000 rows, for each of its filters.
func BenchmarkAudit(b *testing.B) {
	d := fresh(b)
	store := &db.Audit{DB: d}
	for situation, c := range auditAsks(manyRecords(b, d, 100_000)) {
		measure(b, situation, func() error {
			_, err := store.Find(b.Context(), c.f, page.Ask{Search: c.search})
			return err
		})
	}
	measure(b, "actions", func() error { _, err := store.Actions(b.Context()); return err })
}
