package channel

import (
	"context"
	"errors"
	"fmt"
)

// Part is one of the messages that an answer has become: of its text, of its files.
type Part[T any] struct {
	N, Of int // its place, from 0, and how many there are
	// Post sends it once, and gives what names it.
	Post func() (T, error)
	// Refused says of an error of Post that the provider has not got the message, as *Later or *tool.Refused; nil: that is not sure.
	Refused func(error) error
	// Trouble says of an error of Post what is wrong, in words for people.
	Trouble func(error) *Trouble
}

// SendPart sends a part. Once the first is out, the outcome of the whole is open: what the provider does not take at once is waited for,
// and what it refuses leaves a part of an answer.
func SendPart[T any](ctx context.Context, p Part[T]) (sent T, err error) {
	for {
		sent, err := p.Post()
		if err == nil {
			return sent, nil
		}
		var none T
		no := p.Refused(err)
		var later *Later
		switch {
		case p.N > 0 && errors.As(no, &later):
			if err := Rest(ctx, later.After); err != nil {
				return none, p.partly(no)
			}
		case p.N > 0:
			return none, p.partly(p.Trouble(err))
		case no != nil:
			return none, no
		default:
			return none, p.Trouble(err)
		}
	}
}

// partly says how much of an answer was sent.
func (p Part[T]) partly(err error) error {
	return fmt.Errorf("%d of %d parts were sent: %w", p.N, p.Of, err)
}
