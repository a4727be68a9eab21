package jobs

import (
	"context"
	"fmt"

	"github.com/riverqueue/river"

	"gatehouse/app/billing"
	"gatehouse/app/fault"
)

// RefundCreditArgs names a credit note whose money goes back.
type RefundCreditArgs struct {
	CreditID string `json:"credit_id" river:"unique"`
}

// Kind is stored in rows: never rename.
func (RefundCreditArgs) Kind() string { return "refund_credit" }

// InsertOpts keeps one job for a credit note.
func (RefundCreditArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueBilling, MaxAttempts: 25, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// Refunder gives money back: a payment provider, or billing.TestCheckout where none is set up.
type Refunder interface {
	// Refund gives the money of a credit note back, as often as it is called at most once.
	Refund(ctx context.Context, id billing.CreditID) error
}

// RefundCreditWorker gives the money of credit notes back.
type RefundCreditWorker struct {
	river.WorkerDefaults[RefundCreditArgs]
	Refunder Refunder
}

// Work does one try.
func (w *RefundCreditWorker) Work(ctx context.Context, job *river.Job[RefundCreditArgs]) error {
	err := w.Refunder.Refund(ctx, billing.CreditID(job.Args.CreditID))
	if err != nil && fault.Of(err).Kind != fault.NotFound {
		return fmt.Errorf("refund credit note: %w", err)
	}
	return nil
}
