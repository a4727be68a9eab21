package order

import (
	"errors"

	"gatehouse/app/fault"
)

// Refusals.
var (
	ErrOneOrder = fault.New(fault.Conflict, "one-order", "customer has an order", "Your business has an order already. Nothing was charged.")
	ErrRetry    = fault.New(fault.Conflict, "not-failed", "retry of an order that did not fail", "This order has not failed, so there is nothing to retry. Reload the page.")
	ErrCancel   = fault.New(fault.Conflict, "not-cancellable", "cancel of an order past provisioning", "The server is being set up already, so this order cannot be cancelled any more.")
	ErrKey      = fault.New(fault.Invalid, "approver-key", "unreadable key", "This browser sent an unreadable key. Order again.")
	ErrPress    = fault.New(fault.Conflict, "not-manual", "press on an order that runs by itself", "This order takes its steps by itself, or has ended.")
)

// ErrStale says that a step was done for an order that has moved on meanwhile: its worker stops and changes nothing.
var ErrStale = errors.New("order has moved on")

// FinalError is the failure of a step that trying again by itself cannot mend.
type FinalError struct {
	Reason string // for people
	Err    error  // for the log; may be nil
}

// Final makes a FinalError.
func Final(reason string, err error) error { return &FinalError{Reason: reason, Err: err} }

func (e *FinalError) Error() string {
	if e.Err == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.Err.Error()
}

func (e *FinalError) Unwrap() error { return e.Err }
