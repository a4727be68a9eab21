package db_test

import (
	"testing"
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
)

// TestBillDue_pricedMeanwhile: an invoice that one hub draws while another one adds a price comes out the same when it is computed again:
// a price that is older than the invoice is one that the invoice was drawn with.
func TestBillDue_pricedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.uses(t0.Add(time.Hour), "large", usage.House, usage.Counts{Output: 1_000_000})
	b.price(pricing.KindRate, "USD", "1000000", p.To.AddDate(0, 0, -3).Truncate(24*time.Hour))
	b.at(p.To)
	added, stamped, goOn := make(chan error, 1), make(chan struct{}), make(chan struct{})
	asked, now := 0, p.To.Add(billing.Settle)
	other := *b.Service
	other.Now = func() time.Time {
		if asked++; asked == 2 { // the first is for what the entry is compared with
			close(stamped)
			<-goOn
			return now.Add(-time.Millisecond)
		}
		return now.Add(-time.Second)
	}
	go func() {
		added <- other.AddPrice(t.Context(), pricing.Entry{
			Kind: pricing.KindRate, Name: "USD", Value: []byte("2000000"), ValidFrom: p.To.Truncate(24 * time.Hour),
			Reason: "For the test.",
		}, clerk)
	}()
	<-stamped
	b.now = now
	billed := make(chan error, 1)
	go func() {
		_, err := b.BillDue(t.Context())
		billed <- err
	}()
	waits := func() (n int) {
		const waiting = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
		must(t, b.db.QueryRowContext(t.Context(), waiting).Scan(&n))
		return n
	}
	for len(billed) == 0 && waits() == 0 {
		time.Sleep(time.Millisecond)
	}
	close(goOn)
	must(t, <-added)
	must(t, <-billed)
	if r := b.recomputes(p); !r.Same() {
		t.Errorf("billed %d cents; computed again, this is to come: %+v", r.Invoice.Net, r.ToCome)
	}
}
