package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/riverqueue/river"

	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/payment"
)

// CollectInvoiceArgs names an invoice that was issued.
type CollectInvoiceArgs struct {
	InvoiceID string `json:"invoice_id" river:"unique"`
}

// Kind is stored in rows: never rename.
func (CollectInvoiceArgs) Kind() string { return "collect_invoice" }

// InsertOpts keeps one job for an invoice.
func (CollectInvoiceArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueBilling, MaxAttempts: 25, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// Collector has an invoice paid: a payment provider, or billing.TestCheckout where none is set up.
type Collector interface {
	// Collect asks for the money of an invoice, as often as it is called at most once; one that is not open is left alone.
	Collect(ctx context.Context, id billing.InvoiceID) error
}

// CollectInvoiceWorker asks for the money of invoices.
type CollectInvoiceWorker struct {
	river.WorkerDefaults[CollectInvoiceArgs]
	Collector Collector
}

// Work does one try.
func (w *CollectInvoiceWorker) Work(ctx context.Context, job *river.Job[CollectInvoiceArgs]) error {
	err := w.Collector.Collect(ctx, billing.InvoiceID(job.Args.InvoiceID))
	if fault.Of(err).Kind == fault.NotFound && err != nil {
		return nil
	}
	var later *payment.LaterError
	if errors.As(err, &later) {
		return river.JobSnooze(later.After) // this was no failed try
	}
	if err != nil {
		return fmt.Errorf("collect invoice: %w", err)
	}
	return nil
}
