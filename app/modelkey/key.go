package modelkey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
)

// Key is a server's key at the provider.
type Key struct {
	Server  server.ID
	ID      string // as the provider names it where it counts
	Account string // what the provider made for it, and by which it is ended
	Secret  string // what requests show
	MadeAt  time.Time
	Since   time.Time // the beginning of an hour: until then both counts are equal, or how they differ was told
}

// Provider makes keys and says what they used; openaiorg.Client is one.
type Provider interface {
	// Ready says whether the operator lets the hub make keys.
	Ready() bool
	// Make makes a key of that name. One of the name that is left of a try before is ended first: nobody knows its secret.
	Make(ctx context.Context, name string) (Key, error)
	// End ends a key. One that is gone is no error.
	End(ctx context.Context, account string) error
	// Count says what a key used in each hour in [from, to), both the beginnings of hours.
	Count(ctx context.Context, id string, from, to time.Time) ([]Hour, error)
}

// Hour is what was used within an hour. Input holds all tokens that were sent, also those that a cache gave or took.
type Hour struct {
	Start     time.Time
	Input     int64
	Output    int64
	Estimated bool // some of it was not counted but estimated; a provider counts all
}

// Store keeps keys, their secrets sealed; db.ModelKeys does.
type Store interface {
	// Ensure gives the key of a server, and keeps what fresh makes where it has none. Of several workers at once one calls fresh, and the
	// others wait for it.
	Ensure(ctx context.Context, id server.ID, fresh func(context.Context) (Key, error)) (Key, error)
	// All lists keys that are in use, without their secrets.
	All(ctx context.Context) ([]Key, error)
	// Left lists keys of servers that are cut off for good, without their secrets.
	Left(ctx context.Context) ([]Key, error)
	// Ended notes that a key was ended, and forgets its secret.
	Ended(ctx context.Context, id server.ID, at time.Time) error
	// Compared keeps from when on both counts are compared the next time, and a difference that our staff were told; off is empty
	// where there is none, and what was told last is kept then.
	Compared(ctx context.Context, id server.ID, since time.Time, off string, at time.Time) error
}

// Meter is what the hub knows of a server's use; usage.Service does.
type Meter interface {
	// Settled says whether a server has reported all that it used; one that is away cannot say.
	Settled(ctx context.Context, id server.ID) (bool, error)
	// House adds up what a server used with the operator's key in each hour in [from, to).
	House(ctx context.Context, id server.ID, from, to time.Time) ([]Hour, error)
}

// Alerts tells our staff about a server; db.Alerts does.
type Alerts interface {
	RaiseOnce(ctx context.Context, id server.ID, a wire.Alert, at, since time.Time) error
}

// Service is what the hub does with keys.
type Service struct {
	Provider Provider
	Store    Store
	Meter    Meter
	Alerts   Alerts
	Now      func() time.Time
}

// For gives a server its key, which is made the first time; usual where the operator lets the hub make none.
func (s *Service) For(ctx context.Context, id, usual string) (string, error) {
	if !s.Provider.Ready() {
		return usual, nil
	}
	k, err := s.Store.Ensure(ctx, server.ID(id), func(ctx context.Context) (Key, error) {
		k, err := s.Provider.Make(ctx, "gatehouse "+id)
		k.Server, k.MadeAt = server.ID(id), s.Now().UTC()
		k.Since = k.MadeAt.Truncate(time.Hour)
		return k, err
	})
	if err != nil {
		return "", fmt.Errorf("key of server %s at the model provider: %w", id, err)
	}
	return k.Secret, nil
}

// alertLeft names alerts about a key that nobody can end.
const alertLeft = "model_key_left"

// EndLeft ends the keys of servers that are cut off for good. It says how many. Where the operator lets the hub make no keys any more,
// it cannot end them either: our staff are told, once for each.
func (s *Service) EndLeft(ctx context.Context) (n int, err error) {
	all, err := s.Store.Left(ctx)
	var errs []error
	if !s.Provider.Ready() {
		for _, k := range all {
			errs = append(errs, s.tellLeft(ctx, k))
		}
		return 0, errors.Join(append(errs, err)...)
	}
	for _, k := range all {
		err := s.Provider.End(ctx, k.Account)
		if err == nil {
			err = s.Store.Ended(ctx, k.Server, s.Now().UTC())
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("end key of server %s: %w", k.Server, err))
			continue
		}
		n++
	}
	return n, errors.Join(append(errs, err)...)
}

func (s *Service) tellLeft(ctx context.Context, k Key) error {
	now := s.Now().UTC()
	return s.Alerts.RaiseOnce(ctx, k.Server, wire.Alert{
		Kind: alertLeft, Severity: "hard", Time: now,
		Text: "The server is gone, but its key at the model provider is still good: the hub has no admin key with which to end it. " +
			"Set the admin key again, or end the service account \"gatehouse " + string(k.Server) + "\" at the provider by hand.",
	}, now, k.MadeAt)
}
