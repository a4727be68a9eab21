package jobs

import (
	"context"
	"fmt"

	"github.com/riverqueue/river"

	"gatehouse/app/account"
)

// CloseAccountArgs names a customer who left.
type CloseAccountArgs struct {
	CustomerID string `json:"customer_id"`
}

// Kind is stored in rows: never rename.
func (CloseAccountArgs) Kind() string { return "close_account" }

// InsertOpts gives up after a day of tries: a chore queues the work anew as long as the account is to be closed.
func (CloseAccountArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueBilling, MaxAttempts: 10}
}

// Accounts closes accounts; closing.Service does.
type Accounts interface {
	// Close erases a customer who is to be erased, as often as it is called at most once. Anybody else is left alone.
	Close(ctx context.Context, of account.CustomerID) error
}

// CloseAccountWorker erases what is kept of customers who left.
type CloseAccountWorker struct {
	river.WorkerDefaults[CloseAccountArgs]
	Accounts Accounts
}

// Work does one try.
func (w *CloseAccountWorker) Work(ctx context.Context, job *river.Job[CloseAccountArgs]) error {
	if err := w.Accounts.Close(ctx, account.CustomerID(job.Args.CustomerID)); err != nil {
		return fmt.Errorf("close account: %w", err)
	}
	return nil
}
