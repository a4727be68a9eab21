package push

import (
	"errors"
	"time"

	"gatehouse/app/fault"
)

// What a push service answers, besides having taken a message. Every other error is worth another try.
var (
	// ErrGone says that the browser takes no more messages at that address: it is not asked again.
	ErrGone = errors.New("push subscription is gone")
	// ErrRefused says that the service will never take this message.
	ErrRefused = errors.New("push service refuses the message")
)

// Later says that a push service wants to be left alone for a while.
type Later struct{ After time.Duration }

func (l *Later) Error() string { return "push service asks to wait for " + l.After.String() }

// ErrMany is the answer to a person who has as many devices as one can have.
var ErrMany = fault.New(fault.Conflict, "push-devices", "too many push devices",
	"10 of your devices get notifications already. Turn one off, then turn this one on.")
