package db_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/db"
)

// manyOrders is n orders of as many customers over 300 days: nine in ten are fulfilled, a few wait, fail or are called off.
func manyOrders(t testing.TB, d *db.DB, n int) {
	t.Helper()
	tx, err := d.Pool.Begin(t.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	for _, q := range []string{
		"SET LOCAL session_replication_role = replica", // the guards want each order to go its way
		`CREATE TEMP TABLE made ON COMMIT DROP AS SELECT i, gen_random_uuid() AS c, gen_random_uuid() AS u, gen_random_uuid() AS o,
			gen_random_uuid() AS s, '2026-03-02 09:00Z'::timestamptz + i * (interval '300 days' / ` + fmt.Sprint(n) + `) AS at,
			CASE WHEN i % 50 = 0 THEN 'FAILED' WHEN i % 20 = 1 THEN 'CANCELLED' WHEN i > ` + fmt.Sprint(n-n/50) + ` THEN 'PROVISIONING'
				ELSE 'FULFILLED' END AS state
			FROM generate_series(1, ` + fmt.Sprint(n) + `) AS i`,
		`INSERT INTO customers (id, name, time_zone, created_at) SELECT c, 'Shop ' || md5(i::text), 'Europe/Vienna', at FROM made`,
		`INSERT INTO users (id, customer_id, email, email_folded, name, role, password_hash, created_at)
			SELECT u, c, 'p' || i || '@example.com', 'p' || i || '@example.com', 'Somebody', 'owner',
				'` + somebodysHash + `', at FROM made`,
		`INSERT INTO orders (id, customer_id, ordered_by, plan, price, currency, paid_by, region, slug, mode, state, failed_step, reason,
				server_id, created_at, updated_at, fulfilled_at, provider, customer_name)
			SELECT o, c, u, CASE WHEN i % 200 = 0 THEN 'enterprise' ELSE (ARRAY['lite', 'build', 'scale'])[1 + i % 3] END, 2900,
				'EUR', 'test', CASE WHEN i % 3 = 0 THEN 'na' ELSE 'eu' END, 'shop-' || i,
				CASE WHEN i % 40 = 0 THEN 'MANUAL' ELSE 'AUTO' END, state,
				CASE state WHEN 'FAILED' THEN 'AWAITING_SERVER' END, CASE state WHEN 'FAILED' THEN 'No machine.' ELSE '' END,
				CASE WHEN state IN ('FULFILLED', 'PROVISIONING') THEN s END, at, at + i % 97 * interval '1 minute',
				CASE state WHEN 'FULFILLED' THEN at END, CASE WHEN i % 30 = 0 THEN 'pool' ELSE '' END, 'Shop ' || md5(i::text) FROM made`,
	} {
		_, err := tx.Exec(t.Context(), q)
		must(t, err)
	}
	must(t, tx.Commit(t.Context()))
	_, err = d.Pool.Exec(t.Context(), "ANALYZE")
	must(t, err)
}

// orderAsk is a question to a long list of orders, and the index that answers it when the newest come first, or how its name begins.
type orderAsk struct {
	f     order.Filter
	index string
}

func orderAsks() map[string]orderAsk {
	day := func(n int) time.Time { return t0.AddDate(0, 0, n) }
	return map[string]orderAsk{
		"all":         {order.Filter{}, "orders_created"},
		"failed":      {order.Filter{State: order.Failed}, "orders_"},
		"fulfilled":   {order.Filter{State: order.Fulfilled}, "orders_created"},
		"in progress": {order.Filter{State: order.Open}, "orders_underway"},
		"late":        {order.Filter{State: order.Late, Before: day(299)}, "orders_underway"},
		"manual":      {order.Filter{Mode: order.Manual}, "orders_mode"},
		"provider":    {order.Filter{Provider: "pool"}, "orders_provider"},
		"region":      {order.Filter{Region: order.NA}, "orders_created"},
		"plan":        {order.Filter{Plan: "enterprise"}, "orders_plan"},
		"the first days": {
			order.Filter{From: t0, To: day(5)}, "orders_created",
		},
		"a day": {order.Filter{From: day(100), To: day(101)}, "orders_created"},
	}
}

// TestOrders_List_turns: in each order a list that is turned over shows every order once, also when some are equal and one changes
// meanwhile.
func TestOrders_List_turns(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	store := &db.Orders{DB: d, Jobs: &queue{}}
	want := map[order.ID]bool{}
	for range 7 {
		want[placed(t, d).Order.ID] = true // all of one moment, and of customers of one name
	}
	for _, by := range order.Sorts() {
		for _, f := range []order.Filter{{Sort: by}, {Sort: "-" + by}, {Sort: by, From: t0}, {Sort: "-" + by, Mode: order.Auto, From: t0}} {
			seen, ask := map[order.ID]int{}, page.Ask{Limit: 2}
			for ask.After != "" || len(seen) == 0 {
				of, err := store.List(t.Context(), f, ask)
				must(t, err)
				for _, o := range of.Items {
					seen[o.ID]++
				}
				if ask.After = of.Next; of.Next == "" {
					break
				}
			}
			if !maps.EqualFunc(want, seen, func(_ bool, n int) bool { return n == 1 }) {
				t.Errorf("%+v shows %v", f, seen)
			}
		}
	}
}

// TestOrders_List_filters: each filter leaves what it says, and they narrow together.
func TestOrders_List_filters(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	store := &db.Orders{DB: d, Jobs: &queue{}}
	add := func(name string, set func(*order.Order)) {
		n := newOrder(t)
		n.Order.Slug = name
		n.Account.Customer.Name = name
		set(&n.Order)
		_, err := store.Create(t.Context(), n)
		must(t, err)
	}
	add("a", func(o *order.Order) { o.Mode, o.UpdatedAt = order.Manual, t0.Add(time.Hour) })
	add("b", func(o *order.Order) { o.Region, o.CreatedAt = order.NA, t0.Add(-48*time.Hour) })
	add("c", func(o *order.Order) { o.Provider, o.Plan = "pool", "lite" })
	for situation, c := range map[string]struct {
		f    order.Filter
		want string
	}{
		"by customer":        {order.Filter{Sort: "customer"}, "abc"},
		"turned over":        {order.Filter{Sort: "-customer"}, "cba"},
		"manual":             {order.Filter{Mode: order.Manual}, "a"},
		"region":             {order.Filter{Region: order.NA}, "b"},
		"provider":           {order.Filter{Provider: "pool"}, "c"},
		"the usual provider": {order.Filter{Provider: order.Usual, Sort: "customer"}, "ab"},
		"plan":               {order.Filter{Plan: "lite"}, "c"},
		"before a day":       {order.Filter{To: t0}, "b"},
		"from a day on":      {order.Filter{From: t0, Sort: "customer"}, "ac"},
		"late":               {order.Filter{State: order.Late, Before: t0.Add(-time.Hour)}, "b"},
		"in progress":        {order.Filter{State: order.Open, Sort: "customer"}, "abc"},
		"changed last":       {order.Filter{Sort: "-updated"}, "a"},
		"together":           {order.Filter{Mode: order.Manual, Region: order.NA}, ""},
	} {
		f, err := c.f.Clean()
		must(t, err)
		of, err := store.List(t.Context(), f, page.Ask{Limit: page.DefaultLimit})
		must(t, err)
		got := ""
		for _, o := range of.Items {
			got += o.Slug
		}
		if got != c.want && (situation != "changed last" || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: %q, want %q", situation, got, c.want)
		}
	}
}

// BenchmarkOrders measures a page of 100,000 orders for each filter in each order: the figure is the 95th percentile.
func BenchmarkOrders(b *testing.B) {
	d := fresh(b)
	manyOrders(b, d, 100_000)
	store := &db.Orders{DB: d}
	asks := orderAsks()
	for _, situation := range slices.Sorted(maps.Keys(asks)) {
		for _, by := range order.Sorts() {
			for _, way := range []string{"", "-"} {
				f := asks[situation].f
				f.Sort = way + by
				b.Run(situation+"/"+f.Sort, func(b *testing.B) {
					var took []time.Duration
					for b.Loop() {
						began := time.Now()
						_, err := store.List(b.Context(), f, page.Ask{Limit: page.DefaultLimit})
						must(b, err)
						took = append(took, time.Since(began))
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)*95/100])/1e6, "p95-ms")
				})
			}
		}
	}
}
