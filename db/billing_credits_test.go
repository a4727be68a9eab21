package db_test

import (
	"sync"
	"testing"
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

// invoiced is a till with an invoice over a plan: 45.00 and 20 % tax.
func invoiced(t *testing.T) (*till, billing.Invoice) {
	t.Helper()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.at(p.To)
	b.at(p.To.Add(billing.Settle))
	return b, b.invoiceOf(p)
}

// TestBillingCredit_unpaid: credit notes add up to the invoice at most, also when two come at once, and all of it makes it void.
func TestBillingCredit_unpaid(t *testing.T) {
	t.Parallel()
	b, i := invoiced(t)
	for _, bad := range []pricing.Cents{0, -1, 45_01} {
		_, err := b.Credit(t.Context(), i.ID, bad, "Too much.", clerk)
		wantKind(t, err, fault.Invalid)
	}
	n, err := b.Credit(t.Context(), i.ID, 33, "A little.", clerk)
	must(t, err)
	if n.Number != "C2026-000001" || n.Tax != 7 || n.Total != 40 || n.Refund { // 6.6 cents
		t.Errorf("%+v", n)
	}
	var both sync.WaitGroup
	issued := make(chan billing.CreditNote, 2)
	for range 2 {
		both.Go(func() {
			if n, err := b.Credit(t.Context(), i.ID, 44_67, "The rest.", clerk); err == nil {
				issued <- n
			}
		})
	}
	both.Wait()
	close(issued)
	var rest []billing.CreditNote
	for n := range issued {
		rest = append(rest, n)
	}
	if len(rest) != 1 || rest[0].Total != 53_60 { // all that was left, rounding included
		t.Fatalf("%+v", rest)
	}
	got, err := b.Invoice(t.Context(), i.ID)
	must(t, err)
	if got.State != billing.Void || got.Owed() != 0 {
		t.Errorf("%+v", got)
	}
	wantErr(t, b.Paid(t.Context(), i.ID, "stripe", b.now), billing.ErrInvoiceOver)
}

// TestBillingCredit_paid: the money of a paid invoice goes back, once, and the invoice stays paid.
func TestBillingCredit_paid(t *testing.T) {
	t.Parallel()
	b, i := invoiced(t)
	must(t, b.Paid(t.Context(), i.ID, "test", b.now))
	b.queue.items = nil
	n, err := b.Credit(t.Context(), i.ID, 45_00, "The server was away for a week.", clerk)
	must(t, err)
	if !n.Refund || n.Total != 54_00 || len(b.queue.items) != 1 {
		t.Errorf("%+v, %v", n, b.queue.items)
	}
	checkout := billing.TestCheckout{Bills: b.Service}
	must(t, checkout.Refund(t.Context(), n.ID))
	first, err := b.CreditNote(t.Context(), n.ID)
	must(t, err)
	b.now = b.now.Add(time.Hour)
	must(t, checkout.Refund(t.Context(), n.ID))
	again, err := b.CreditNote(t.Context(), n.ID)
	must(t, err)
	if first.RefundedBy != "test" || again != first {
		t.Errorf("%+v, then %+v", first, again)
	}
	if got, _ := b.Invoice(t.Context(), i.ID); got.State != billing.Paid || got.Credited != 54_00 {
		t.Errorf("%+v", got)
	}
	if _, err := b.db.ExecContext(t.Context(), "UPDATE credit_notes SET net = 1, total = 901"); err == nil {
		t.Error("a credit note was changed")
	}
	manager := clerk
	manager.Role = "MANAGER"
	_, err = b.Credit(t.Context(), i.ID, 1, "Not mine to do.", manager)
	wantKind(t, err, fault.Forbidden)
}
