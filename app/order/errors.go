package order

import (
	"errors"

	"gatehouse/app/fault"
)

// Refusals.
var (
	ErrOneOrder = fault.New(fault.Conflict, "one-order", "customer has an order", "Your business already has an order. Nothing was charged.")
	ErrRetry    = fault.New(fault.Conflict, "not-failed", "retry of an order that did not fail", "This order has not failed, so there is nothing to retry. Reload the page.")
	ErrCancel   = fault.New(fault.Conflict, "not-cancellable", "cancel of an order past provisioning",
		"The server is already being set up, so this order can no longer be canceled. Nothing was changed.")
	ErrKey = fault.New(fault.Invalid, "approver-key", "unreadable key",
		"This browser sent a key that we cannot read. Nothing was charged. Please order again.")
	ErrProvider = fault.New(fault.Conflict, "not-movable", "provider of an order whose server is reserved",
		"A server is reserved for this order already, so it can no longer move. Nothing was changed.")
	ErrPress = fault.New(fault.Conflict, "not-manual", "press on an order that runs by itself",
		"This order runs automatically or has ended. Nothing was changed.")
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
