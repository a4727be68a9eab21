package channel

import (
	"context"
	"time"
)

// Rest waits, or gives the error of a context that ends before.
func Rest(ctx context.Context, d time.Duration) error {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-over.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Hand hands a message on to whoever takes it, or gives the error of a context that ends before.
func Hand(ctx context.Context, out chan<- Inbound, m Inbound) error {
	select {
	case out <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
