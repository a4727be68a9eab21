package receipt

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// Hold says that the log of a server broke with what is anchored. Until a person releases it nothing is allowed on that
// server through the hub.
type Hold struct {
	Server server.ID
	Why    string
	At     time.Time
	Said   *wire.Checkpoint // what the server signed, the proof; nil when it was found by asking
}

// What can be wrong with a release.
var (
	ErrNotHeld = fault.New(fault.Conflict, "server-not-held", "server is not on hold", "This server is not on hold.")
	ErrHeld    = fault.New(fault.Conflict, "server-held", "server is on hold: its log broke with the anchor",
		"The receipts on your server do not match the checksum that we keep, so nothing can be allowed until one of us has looked into it. Nothing was decided. You can still deny.")
	errReason = fault.Bad(map[string]string{"reason": "Write who looked into it and what they found, in at most 500 characters."})
)

// MayAllow refuses while a server is on hold, in the transaction of ctx.
func (s *Service) MayAllow(ctx context.Context, id server.ID) error {
	h, err := s.Store.Held(ctx, id)
	if err == nil && !h.At.IsZero() {
		err = ErrHeld
	}
	if err != nil {
		return fmt.Errorf("allow on server %s: %w", id, err)
	}
	return nil
}

// AllHeld gives the servers that are on hold, longest first, at most 200.
func (s *Service) AllHeld(ctx context.Context) ([]Hold, error) { return s.Store.AllHeld(ctx, 200) }

// Release ends a hold: a person has looked and takes the log as it is from here on. What was anchored before stays, and
// is no longer compared.
func (s *Service) Release(ctx context.Context, id server.ID, by audit.Actor, reason string) error {
	if reason = strings.TrimSpace(reason); reason == "" || utf8.RuneCountInString(reason) > 500 {
		return errReason
	}
	key, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("release server: %w", err)
	}
	now := s.Now().UTC()
	done, err := s.Store.Release(ctx, id, now, audit.Entry{
		ID: key.String(), At: now, By: by, Action: "server.release", Target: string(id), Details: map[string]string{"reason": reason},
	})
	if err == nil && !done {
		err = ErrNotHeld
	}
	if err != nil {
		return fmt.Errorf("release server %s: %w", id, err)
	}
	return nil
}
