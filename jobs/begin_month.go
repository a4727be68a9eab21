package jobs

import (
	"context"
	"fmt"

	"github.com/riverqueue/river"

	"gatehouse/app/account"
)

// BeginMonthArgs names a customer whose server has become ready.
type BeginMonthArgs struct {
	CustomerID string `json:"customer_id"`
}

// Kind is stored in rows: never rename.
func (BeginMonthArgs) Kind() string { return "begin_month" }

// InsertOpts allows one for each server that a customer ever gets.
func (BeginMonthArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueBilling, MaxAttempts: 12}
}

// Months begins billing periods; billing.Service does.
type Months interface {
	// Begin begins a customer's period, unless one runs or none is to begin; false says that it did not.
	Begin(ctx context.Context, of account.CustomerID) (bool, error)
}

// BeginMonthWorker begins the billing period of a customer as soon as the server is ready, so that the pool is in its settings
// before a person has opened a page. What it misses, a chore finds within the minute.
type BeginMonthWorker struct {
	river.WorkerDefaults[BeginMonthArgs]
	Months Months
}

// Work does one try.
func (w *BeginMonthWorker) Work(ctx context.Context, job *river.Job[BeginMonthArgs]) error {
	if _, err := w.Months.Begin(ctx, account.CustomerID(job.Args.CustomerID)); err != nil {
		return fmt.Errorf("begin month: %w", err)
	}
	return nil
}
