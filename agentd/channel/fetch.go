package channel

import (
	"context"
	"errors"
	"time"
)

// LeftOut is why a file of a message is not there, in words for whoever reads the message.
type LeftOut struct{ Text string }

// Error implements error.
func (l *LeftOut) Error() string { return l.Text }

const (
	maxFetches = 3           // how often a file is asked for before its message is taken without it
	maxPause   = time.Minute // longest wait between two tries
)

// Fetcher gets the files of messages, if need be at another try.
type Fetcher struct {
	// First is the wait before the second try, if the provider does not say how long; before the third it is twice that.
	First time.Duration
	Gone  *LeftOut // of a file that did not come
	// After is how long the provider asks to wait by what it answered.
	After func(err error) (after time.Duration, said bool)
}

// roomKey is where a context has how many bytes of files are kept.
type roomKey struct{}

func withRoom(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, roomKey{}, bytes)
}

// All is a message's Fetch for its files: get gives the one with the index i. What get says is LeftOut is not asked for again, and nothing
// after the one with which they are more than is kept.
func (f Fetcher) All(files int, get func(ctx context.Context, i int) (File, error)) func(context.Context) ([]File, []string) {
	return func(ctx context.Context) (came []File, left []string) {
		room, limited := ctx.Value(roomKey{}).(int64)
		for i := range files {
			if limited && room < 0 {
				break
			}
			got, err := f.one(ctx, func() (File, error) { return get(ctx, i) })
			var no *LeftOut
			switch {
			case errors.As(err, &no):
				left = append(left, no.Text)
			case err != nil:
				left = append(left, f.Gone.Text)
			default:
				came = append(came, got)
				room -= int64(len(got.Data))
			}
		}
		return came, left
	}
}

func (f Fetcher) one(ctx context.Context, get func() (File, error)) (got File, err error) {
	for try := range maxFetches {
		var no *LeftOut
		if got, err = get(); err == nil || errors.As(err, &no) {
			return got, err
		}
		wait, said := f.After(err)
		if !said {
			wait = f.First << try
		}
		if try+1 == maxFetches || wait > maxPause || Rest(ctx, wait) != nil {
			break
		}
	}
	return got, err
}
