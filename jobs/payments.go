package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"gatehouse/app/order"
)

// paymentTries is how often work on a payment is tried: for two weeks, by paymentRetry. Money is never given up on quietly: what is left
// then stands on the page of jobs.
const paymentTries = 30

// paymentRetry is soon at first, since the provider is seldom away for long, and every half day in the end.
func paymentRetry(now time.Time, attempt int) time.Time {
	return now.Add(min(10*time.Second<<min(attempt-1, 12), 12*time.Hour))
}

// Payments deals with payments; payment.Service does.
type Payments interface {
	ReadEvent(ctx context.Context, id string) error
	GiveBack(ctx context.Context, id string) error
	RefundOrder(ctx context.Context, id order.ID) error
}

// ReadEventArgs names an event of the payment provider.
type ReadEventArgs struct {
	EventID string `json:"event_id" river:"unique"`
}

// Kind is stored in rows: never rename.
func (ReadEventArgs) Kind() string { return "read_payment_event" }

// InsertOpts makes one job of each event.
func (ReadEventArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queuePayments, MaxAttempts: paymentTries, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// ReadEventWorker deals with events.
type ReadEventWorker struct {
	river.WorkerDefaults[ReadEventArgs]
	Payments Payments
	Now      func() time.Time
}

// Work deals with one event.
func (w *ReadEventWorker) Work(ctx context.Context, job *river.Job[ReadEventArgs]) error {
	return w.Payments.ReadEvent(ctx, job.Args.EventID)
}

// NextRetry is that of all work on payments.
func (w *ReadEventWorker) NextRetry(job *river.Job[ReadEventArgs]) time.Time {
	return paymentRetry(w.Now(), job.Attempt)
}

// GiveBackArgs names a refund.
type GiveBackArgs struct {
	RefundID string `json:"refund_id" river:"unique"`
}

// Kind is stored in rows: never rename.
func (GiveBackArgs) Kind() string { return "give_back" }

// InsertOpts makes one job of each refund.
func (GiveBackArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queuePayments, MaxAttempts: paymentTries, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// GiveBackWorker has the provider do refunds.
type GiveBackWorker struct {
	river.WorkerDefaults[GiveBackArgs]
	Payments Payments
	Now      func() time.Time
}

// Work does one refund.
func (w *GiveBackWorker) Work(ctx context.Context, job *river.Job[GiveBackArgs]) error {
	return w.Payments.GiveBack(ctx, job.Args.RefundID)
}

// NextRetry is that of all work on payments.
func (w *GiveBackWorker) NextRetry(job *river.Job[GiveBackArgs]) time.Time {
	return paymentRetry(w.Now(), job.Attempt)
}

// RefundOrderArgs names an order that was called off.
type RefundOrderArgs struct {
	OrderID string `json:"order_id" river:"unique"`
}

// Kind is stored in rows: never rename.
func (RefundOrderArgs) Kind() string { return "refund_order" }

// InsertOpts makes one job of each order.
func (RefundOrderArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queuePayments, MaxAttempts: paymentTries, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// RefundOrderWorker gives back what orders cost that were called off.
type RefundOrderWorker struct {
	river.WorkerDefaults[RefundOrderArgs]
	Payments Payments
	Now      func() time.Time
}

// Work asks for the refund of one order.
func (w *RefundOrderWorker) Work(ctx context.Context, job *river.Job[RefundOrderArgs]) error {
	if err := w.Payments.RefundOrder(ctx, order.ID(job.Args.OrderID)); err != nil {
		return fmt.Errorf("refund order: %w", err)
	}
	return nil
}

// NextRetry is that of all work on payments.
func (w *RefundOrderWorker) NextRetry(job *river.Job[RefundOrderArgs]) time.Time {
	return paymentRetry(w.Now(), job.Attempt)
}
