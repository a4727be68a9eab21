package server

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// KeyLife is how old the key that opens a link becomes before the hub asks for a new one.
const KeyLife = 90 * 24 * time.Hour

const (
	keyWait  = 10 * time.Second // for a server's answer
	askAgain = time.Hour        // after which a server that gave no new key is asked again
	keysAt   = 20               // servers in one round
)

// Refusals.
var (
	ErrTooOld = fault.New(fault.Conflict, "agentd-old", "agentd of the server does not know this",
		"The agentd on this server is too old for this. Nothing was changed. Update it first.")
	ErrKeyMoved = fault.New(fault.Conflict, "key-moved", "link key changed meanwhile",
		"The key of this server was renewed by somebody else just now. Nothing more was changed.")
	ErrKeyOffer = fault.New(fault.Forbidden, "key-offer", "offered link key does not verify",
		"The server offered a key that its present key has not signed. The present key was kept. "+
			"Look at this server: it may not be the one you think.")
	ErrConfirm = fault.New(fault.Invalid, "confirm", "name of the server not typed",
		"The name that was typed is not that of this server. Nothing was changed.")
)

// CommandKey is the public key that servers pin for commands; empty when the hub has none.
func (s *Service) CommandKey() string { return base64.RawURLEncoding.EncodeToString(s.Command) }

// RenewKey has a server make a new key for its link. The new key counts from the moment it is stored here; a server that does
// not hear of that finds out when it connects again, for then the hub turns its former key away and it tries the new one.
func (s *Service) RenewKey(ctx context.Context, id ID, by audit.Actor) error {
	if err := staff.Require(by, staff.ServersCommand); err != nil {
		return err
	}
	srv, err := s.Store.Find(ctx, id)
	if err != nil {
		return err
	}
	if !srv.Registered() {
		return ErrRevoked
	}
	wait, cancel := context.WithTimeout(ctx, keyWait)
	defer cancel()
	next, err := s.offered(wait, srv)
	if err != nil {
		return fmt.Errorf("renew key of server %s: %w", id, err)
	}
	e, err := s.entry(srv, by, "server.renew_key", map[string]string{"to": wire.KeyID(next)})
	if err != nil {
		return err
	}
	ok, err := s.Store.SetLinkKey(ctx, id, srv.Opens(), base64.RawURLEncoding.EncodeToString(next), e.At, e)
	if err != nil {
		return err
	}
	if !ok {
		return ErrKeyMoved
	}
	// It need not arrive: see above.
	_ = s.Live.Call(wait, string(id), wire.MethodLinkKeyTaken, wire.KeyTaken{KeyID: wire.KeyID(next)}, nil)
	s.Notify.ServerChanged(ctx, srv.CustomerID, id)
	return nil
}

// offered asks for a new key and checks who signed it.
func (s *Service) offered(ctx context.Context, srv Server) (ed25519.PublicKey, error) {
	var offer wire.KeyOffer
	err := s.Live.Call(ctx, string(srv.ID), wire.MethodLinkKeyOffer, struct{}{}, &offer)
	if err != nil {
		return nil, oldAgentd(err)
	}
	old, err := base64.RawURLEncoding.DecodeString(srv.Opens())
	if err != nil {
		return nil, err
	}
	next, err := offer.Verify(string(srv.ID), old)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyOffer, err)
	}
	return next, nil
}

// oldAgentd names what an agentd answers that does not know a method.
func oldAgentd(err error) error {
	if fault.Of(err).Kind == fault.Invalid {
		return fmt.Errorf("%w: %w", ErrTooOld, err)
	}
	return err
}

// RenewOld has servers renew keys that are old, and says how many did. One that cannot does not keep the others from it.
func (s *Service) RenewOld(ctx context.Context) (int, error) {
	now := s.Now().UTC()
	old, err := s.Store.OldLinkKeys(ctx, now.Add(-s.Rules.KeyLife.Or(KeyLife)), now.Add(-askAgain), now, keysAt)
	if err != nil {
		return 0, fmt.Errorf("renew old keys: %w", err)
	}
	n := 0
	var errs []error
	for _, srv := range old {
		err := s.RenewKey(ctx, srv.ID, audit.Itself)
		switch {
		case err == nil:
			n++
		case fault.Of(err).Kind != fault.Away && !errors.Is(err, ErrTooOld):
			errs = append(errs, err)
		}
	}
	return n, errors.Join(errs...)
}

// CutOff ends a server for good: its keys open no link any more, and the open one is closed. Whoever does it types the name of
// the server.
func (s *Service) CutOff(ctx context.Context, id ID, typed string, by audit.Actor) error {
	if err := staff.Require(by, staff.ServersDestroy); err != nil {
		return err
	}
	srv, err := s.Store.Find(ctx, id)
	if err != nil {
		return err
	}
	if typed != srv.Slug {
		return ErrConfirm
	}
	if err := staff.Confirm(ctx, s.Codes, by, staff.Destroying{Action: staff.CutServer, Object: string(id), Name: srv.Slug}); err != nil {
		return err
	}
	if err := s.Revoke(ctx, srv.CustomerID, id, by); err != nil {
		return err
	}
	// A hub that is killed before this ends the link with the next heartbeat.
	return s.Live.Cut(string(id))
}

func (s *Service) entry(srv Server, by audit.Actor, action string, details map[string]string) (audit.Entry, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return audit.Entry{}, fmt.Errorf("%s: %w", action, err)
	}
	return audit.Entry{
		ID: id.String(), At: s.Now().UTC(), By: by, CustomerID: string(srv.CustomerID), Action: action, Target: string(srv.ID),
		Details: details,
	}, nil
}
