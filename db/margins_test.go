package db_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"gatehouse/app/margin"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
	"gatehouse/db"
)

// stillBook is a price book that stands still.
type stillBook struct{ book pricing.Book }

func (b stillBook) Book(context.Context) (pricing.Book, error) { return b.book, nil }

// TestMargins: a small world whose costs, revenue and margin were added up by hand.
func TestMargins(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	bills := &db.Billing{DB: d, Jobs: &queue{}}
	period := aPeriod(t, bills) // of another customer
	invoice := anInvoice(t, period)
	issue(t, bills, invoice)
	month := time.Date(invoice.IssuedAt.Year(), invoice.IssuedAt.Month(), 1, 0, 0, 0, 0, time.UTC)
	_, err := d.Pool.Exec(t.Context(), `INSERT INTO credit_notes (id, number, invoice_id, customer_id, net, tax, total, reason,
		issued_at, by_id, by_name, refund) VALUES ($1, 'C1', $2, $3, 500, 100, 600, 'for the test', $4, 's', 'test', false)`,
		id(t), invoice.ID, period.CustomerID, invoice.IssuedAt)
	must(t, err)
	used := func(agent, model string, key usage.Key, at time.Time, input, output, read int64) usage.Bucket {
		return usage.Bucket{
			Epoch: "e", Hour: at, Agent: agent, Model: model, Profile: "p", Key: key, Revision: 1,
			Counts: usage.Counts{Requests: 1, Input: input, Output: output, CacheRead: read},
		}
	}
	fifth, sixth := month.AddDate(0, 0, 4).Add(9*time.Hour), month.AddDate(0, 0, 5).Add(23*time.Hour)
	_, err = (&db.Usage{DB: d}).Keep(t.Context(), srv.ID, []usage.Bucket{
		used("a", "small", usage.House, fifth, 10_000_000, 1_000_000, 0),
		used("b", "large", usage.House, sixth, 1_000_000, 0, 2_000_000),
		used("b", "large", usage.Own, sixth, 9_000_000, 0, 0),
		used("b", "unknown", usage.House, sixth, 100, 0, 0),
		used("a", "small", usage.House, month.AddDate(0, 1, 0), 9_000_000, 0, 0),
		used("a", "small", usage.House, month.Add(-time.Hour), 9_000_000, 0, 0),
	})
	must(t, err)
	entry := func(kind pricing.Kind, name, value string, from time.Time) pricing.Entry {
		return pricing.Entry{ID: id(t), Kind: kind, Name: name, Value: json.RawMessage(value), ValidFrom: from}
	}
	prices := stillBook{pricing.NewBook([]pricing.Entry{
		entry(pricing.KindModel, "small", `{"input": 150000, "output": 600000, "class": "included"}`, month.AddDate(-1, 0, 0)),
		entry(pricing.KindModel, "large", `{"input": 3000000, "output": 15000000, "cache_read": 300000,
			"class": "premium"}`, month.AddDate(-1, 0, 0)),
		entry(pricing.KindRate, "USD", "920000", month),
		entry(pricing.KindRate, "USD", "900000", month.AddDate(0, 0, 5)),
	})}
	s := &margin.Service{Store: &db.Margins{DB: d}, Books: prices, Now: func() time.Time { return month.AddDate(0, 0, 20) }}
	m, err := s.Month(t.Context(), month.Add(time.Hour))
	must(t, err)
	// 10 × $0.15 + 1 × $0.60 = $2.10 at 0.92, and 1 × $3.00 + 2 × $0.30 = $3.60 at 0.90: €1.932 + €3.24 = €5.172.
	const cost = margin.Micros(5_172_000)
	of := map[string]margin.Sum{}
	for _, c := range m.Customers {
		of[c.ID] = c
	}
	mine, other := of[string(n.Order.CustomerID)], of[string(period.CustomerID)]
	if !m.Running || len(m.Customers) != 2 {
		t.Fatalf("the month: %+v", m)
	}
	want := margin.Sum{ID: mine.ID, Name: mine.Name, Requests: 3, Tokens: 14_000_100, Unpriced: 100, Cost: cost}
	if mine != want || mine.Margin() != -5_17 {
		t.Errorf("who used: %+v", mine)
	}
	if other.Cost != 0 || other.Revenue != 40_00 || other.Margin() != 40_00 {
		t.Errorf("who paid: %+v", other)
	}
	if m.Total.Cost != cost || m.Total.Revenue != 40_00 || m.Total.Margin() != 34_83 {
		t.Errorf("together: %+v", m.Total)
	}
	if len(m.Models) != 3 {
		t.Fatalf("by model: %+v", m.Models)
	}
	if by := m.Models; by[0].Name != "large" || by[0].Cost != 3_240_000 || by[1].Cost != 1_932_000 || by[2].Unpriced != 100 {
		t.Errorf("by model: %+v", by)
	}
	wantTrend(t, s, m.Total)
	s.Now = func() time.Time { return month.AddDate(0, 1, 3) }
	if m, err := s.Month(t.Context(), month); err != nil || m.Running || m.Total.Margin() != 34_83 {
		t.Errorf("when it is over: %+v, %v", m, err)
	}
	for _, at := range []time.Time{month.AddDate(0, 2, 0), month.AddDate(-2, 0, 0)} {
		if _, err := s.Month(t.Context(), at); err == nil {
			t.Errorf("the month of %s was added up", at)
		}
	}
}

// wantTrend: each month of the chart has the figures that its own page has, and the present one these.
func wantTrend(t *testing.T, s *margin.Service, now margin.Sum) {
	t.Helper()
	months, err := s.Months(t.Context())
	must(t, err)
	if len(months) != 2 || months[0].Running || !months[1].Running || months[1].Sum != now {
		t.Fatalf("the months: %+v", months)
	}
	for _, is := range months {
		m, err := s.Month(t.Context(), is.From)
		must(t, err)
		if m.Total != is.Sum {
			t.Errorf("the month of %s: %+v, and by itself %+v", is.From, is.Sum, m.Total)
		}
	}
	if before := months[0]; before.Tokens != 9_000_000 || before.Cost != 1_242_000 {
		t.Errorf("the month before: %+v", before)
	}
}
