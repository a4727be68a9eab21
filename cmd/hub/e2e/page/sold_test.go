package page

import (
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// sold gives the pages of money something to show: five months of usage, of which the third cost more than it brought in.
func sold(t *testing.T, h *e2e.Hub) {
	t.Helper()
	conn := h.Connect(t)
	defer func() { _ = conn.Close(t.Context()) }()
	for _, q := range []string{
		"SET session_replication_role = replica", // months and orders of then are left out
		`INSERT INTO price_entries (id, kind, name, value, valid_from, at, by_name, reason) SELECT gen_random_uuid(), kind, name,
			value::jsonb, from_at, now(), 'test', 'For the pages.' FROM (VALUES
			('rate', 'USD', date_trunc('day', now()), '920000'),
			('model', 'sold', '2020-01-01',
			'{"input": 150000, "output": 600000, "cache_read": 15000, "cache_write": 187500, "class": "included"}')
			) AS first (kind, name, from_at, value)`,
		`INSERT INTO usage_buckets (server_id, epoch, hour, agent, parent, model, profile, key, customer_id, revision, requests,
				estimated, input, output, cache_read, cache_write, est_input, est_output, searches, fetches)
			SELECT id, 'sold', date_trunc('month', now(), 'UTC') - m * interval '1 month', 'secretary', '', 'sold', 'main', 'house',
				customer_id, 1, 40, 0, (CASE m WHEN 2 THEN 600 ELSE 90 END) * 1000000, 9000000, 0, 0, 0, 0, 0, 0
			FROM servers, generate_series(0, 4) AS m`,
		`INSERT INTO invoices (id, number, customer_id, period_id, from_at, to_at, net, tax, total, currency, state, issued_at, due_at,
				paid_at, paid_by, lines, terms)
			SELECT gen_random_uuid(), 'S-' || m, customer_id, gen_random_uuid(), at, at, 4500, 900, 5400, 'EUR', 'paid', at, at, at, 'test',
				jsonb_build_array(jsonb_build_object('kind', 'plan', 'plan', 'Build', 'pool', 15000000, 'times', 1, 'from', at, 'to', at +
					interval '1 month', 'net', 4500)),
				'{"seller": {"name": "Gatehouse Ltd", "address": "1 Street", "country": "AT", "vat_id": "ATU12345678"}, "buyer": {"name":
					"A bakery", "address": "2 Street", "country": "AT"}, "tax_basis_points": 2000, "zone": "UTC"}'
			FROM servers, generate_series(1, 4) AS m,
				LATERAL (SELECT date_trunc('month', now(), 'UTC') - m * interval '1 month') AS of (at)`,
	} {
		if _, err := conn.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}
