package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
	"gatehouse/db"
)

// TestBilling_quoteOfStaff: with a database, a quote takes the markups that our staff have set.
func TestBilling_quoteOfStaff(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	bills := &billing.Service{Store: &db.Billing{DB: w.db, Jobs: noJobs{}}, Now: time.Now}
	book, err := bills.Book(t.Context())
	ok(t, err)
	m, err := book.Markups(time.Now())
	ok(t, err)
	for i := range m.Premium {
		m.Premium[i].Percent = 50
	}
	value, err := json.Marshal(m)
	ok(t, err)
	ok(t, bills.AddPrice(t.Context(), pricing.Entry{Kind: pricing.KindMarkups, Reason: "For the test.", Value: value}, audit.Itself))
	const in = `{"input_usd_micros_per_m":3000000,"output_usd_micros_per_m":15000000,"premium":true}`
	env := map[string]string{"DATABASE_URL": w.db.Pool.Config().ConnString()}
	if code, out := hubSays(t, env, in, "billing", "quote"); code != 0 || !strings.Contains(out, `"markup_percent":50`) {
		t.Errorf("%d, %s", code, out)
	}
}

// TestBilling_recompute: an invoice is computed again to the same cent, and when more was reported meanwhile the program says what, and
// fails.
func TestBilling_recompute(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	store := &db.Billing{DB: w.db, Jobs: noJobs{}}
	bills := &billing.Service{Store: store, Usage: &db.Usage{DB: w.db}, Now: time.Now}
	from := time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, -40)
	add := func(kind pricing.Kind, name, value string, at time.Time) {
		ok(t, bills.AddPrice(t.Context(), pricing.Entry{
			Kind: kind, Name: name, Value: json.RawMessage(value), ValidFrom: at, Reason: "For the test.",
		}, audit.Itself))
	}
	add(pricing.KindSeller, "", `{"name": "Gatehouse Ltd", "address": "1 Street", "country": "AT", "vat_id": "ATU12345678"}`, time.Time{})
	add(pricing.KindTax, "AT", `{"basis_points": 2000}`, time.Time{})
	add(pricing.KindModel, "large", `{"input": 3000000, "output": 15000000, "class": "premium"}`, from.AddDate(0, 0, -1))
	add(pricing.KindRate, "USD", "1000000", from.AddDate(0, 0, 30).Truncate(24*time.Hour))
	w.begin(w.mine, from)
	var id billing.PeriodID
	ok(t, w.db.Pool.QueryRow(t.Context(), "SELECT id::text FROM billing_periods").Scan(&id))
	used := func(revision, output int64) {
		_, err := (&db.Usage{DB: w.db}).Keep(t.Context(), w.mine.server, []usage.Bucket{{
			Epoch: uuid.Nil.String(), Hour: from.Add(time.Hour), Agent: "a", Model: "large", Profile: "main", Key: usage.House,
			Revision: revision, Counts: usage.Counts{Requests: revision, Output: output},
		}})
		ok(t, err)
	}
	used(1, 1_000_000)
	_, err := store.ChangePeriod(t.Context(), id, func(_ context.Context, p *billing.Period) (*billing.Period, error) {
		p.State, p.ClosedAt = billing.Closed, p.To
		return nil, nil
	})
	ok(t, err)
	if n, err := bills.BillDue(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d invoices, %v", n, err)
	}
	env := map[string]string{"DATABASE_URL": w.db.Pool.Config().ConnString()}
	code, out := hubSays(t, env, "", "billing", "recompute", "--period", string(id))
	if code != 0 || !strings.Contains(out, "premium large: 1650 cents, 1000000 tokens") ||
		!strings.Contains(out, "computed 6150 cents, invoiced 6150 cents") {
		t.Errorf("%d, %s", code, out)
	}
	used(2, 1_500_000)
	code, out = hubSays(t, env, "", "billing", "recompute", "--period", string(id))
	if code != 1 || !strings.Contains(out, "not charged yet: late") ||
		!strings.Contains(out, "the invoice does not come out to the same cent") {
		t.Errorf("after more was reported: %d, %s", code, out)
	}
	if code, out := hubSays(t, env, "", "billing", "recompute", "--period", uuid.NewString()); code != 1 {
		t.Errorf("no such month: %d, %s", code, out)
	}
}
