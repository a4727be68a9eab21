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
	ErrAct   = fault.New(fault.Invalid, "act", "unknown act on an order", "You cannot do that with an order. Nothing was changed.")
	ErrPlace = fault.New(fault.Invalid, "provider", "unknown provider",
		"This hub cannot set servers up there. Nothing was changed. Choose a provider from the list.")
	ErrStop = fault.New(fault.Conflict, "not-stoppable", "stop of an order whose server is not being set up",
		"The server of this order is not being set up now. Nothing was changed. Reload the page.")
	ErrEnd = fault.New(fault.Conflict, "not-endable", "end of an order whose server does not serve",
		"Only an order whose server is at work can be ended. Nothing was changed. Reload the page.")
	ErrReason = fault.New(fault.Invalid, "end-reason", "unknown reason to end an order", "Choose why the order ends. Nothing was changed.")
	ErrKeep   = fault.New(fault.Conflict, "not-keepable", "keep of an order whose server cannot stay",
		"This order can no longer be kept this way. Nothing was changed. Please write to us.")
	ErrReplace = fault.New(fault.Conflict, "not-replaceable", "replacement of a server that does not serve",
		"Only a server that is at work can be replaced. Nothing was changed. Reload the page.")
	ErrReplacing = fault.New(fault.Conflict, "replacing", "another server is being set up for the customer",
		"Another server is being set up to replace this one. Cancel that order first. Nothing was changed.")
	ErrKey = fault.New(fault.Invalid, "approver-key", "unreadable key",
		"This browser sent a key that we cannot read. Nothing was charged. Please order again.")
	ErrProvider = fault.New(fault.Conflict, "not-movable", "provider of an order whose server is reserved",
		"A server is reserved for this order already, so it can no longer move. Nothing was changed.")
	ErrPress = fault.New(fault.Conflict, "not-manual", "press on an order that runs by itself",
		"This order runs automatically or has ended. Nothing was changed.")
	ErrClosed = fault.New(fault.Conflict, "orders-closed", "no new orders are taken",
		"We take no new orders at the moment. Nothing was ordered and nothing was charged. Please try again another day.")
	ErrFullDay = fault.New(fault.Conflict, "orders-full", "the most orders of a day were placed",
		"We have taken as many orders today as we can set up. Nothing was ordered and nothing was charged. Please try again tomorrow.")
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
