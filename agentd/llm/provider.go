package llm

import (
	"context"
	"errors"
	"time"
)

// A Provider is a model that can be asked.
type Provider interface {
	// Name is the model's name as people and usage numbers show it.
	Name() string
	// Rehearsal says that this is the built-in stand-in, which every page labels as such.
	Rehearsal() bool
	// Stream asks and calls text for each piece of the answer as it arrives, always from the calling goroutine. It
	// returns when the answer is whole, promptly after ctx ends, or with an *Error.
	Stream(ctx context.Context, o Outgoing, text func(string)) (Reply, error)
}

// Ask sends r to p. The error is ctx's own when ctx ended, else an *Error.
func Ask(ctx context.Context, p Provider, r Request, text func(string)) (Reply, error) {
	reply, err := p.Stream(ctx, outgoing(r), text)
	if err != nil {
		return Reply{}, told(ctx, err)
	}
	return reply, nil
}

// told is an error of a model's client as its caller gets it.
func told(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var known *Error
	if !errors.As(err, &known) {
		known = &Error{Kind: Unavailable, Detail: "the model's client failed", Err: err}
	}
	return known
}

// Limits are the time-outs of one request to a model.
type Limits struct {
	FirstByte time.Duration // until the first sign of an answer
	Stall     time.Duration // between two pieces of it
}

// DefaultLimits leave a slow local model time to load, and give up on a connection that went silent.
var DefaultLimits = Limits{FirstByte: 2 * time.Minute, Stall: time.Minute}

// A Waiter is a Provider whose way to the model may be down for a while.
type Waiter interface {
	// Wait returns when the way is open, or with ctx's error.
	Wait(ctx context.Context) error
}

// Again says whether what failed with err can be asked once more, after waiting for as long as that takes: the way to
// the model was down. What the model had said until then is void.
func Again(ctx context.Context, p Provider, err error) bool {
	var known *Error
	w, waits := p.(Waiter)
	return waits && errors.As(err, &known) && known.Kind == Away && w.Wait(ctx) == nil
}
