package replay

import "gatehouse/app/fault"

// Answer is what a request was answered.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
}

// Refusals of a key.
var (
	ErrReused = fault.New(fault.Conflict, "idempotency-key-reused", "idempotency key came with another request", "This Idempotency-Key was used for another request.")
	ErrBusy   = fault.New(fault.Conflict, "idempotency-key-busy", "first request of an idempotency key is at work", "The first request with this Idempotency-Key is still running. Try again in a moment.")
)
