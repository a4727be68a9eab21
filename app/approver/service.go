package approver

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// askWait is how long a server is waited for: it derives a key from a code, which is slow on purpose.
const askWait = 15 * time.Second

// Ring is the keys of a customer's server, and what a page needs to sign.
type Ring struct {
	ServerID server.ID
	Version  int64 // of the configuration that the server runs: changes of power are signed for it
	Keys     []wire.ApproverKey
}

// Store is what Service needs; db.Approvers has it.
type Store interface {
	// Of reads the keys of the customer's server, oldest first.
	Of(ctx context.Context, of account.CustomerID) (Ring, error)
	// Report keeps what a server says about its keys, in the transaction of ctx.
	Report(ctx context.Context, id server.ID, s wire.ApproverState) error
}

// Live is what Service needs of the live traffic; relay.Relay has it.
type Live interface {
	Call(ctx context.Context, serverID string, m wire.Method, params, result any) error
}

// Service is what the hub does about keys.
type Service struct {
	Store Store
	Live  Live
}

// Of reads the keys of the customer's server, as the server reported them.
func (s *Service) Of(ctx context.Context, of account.CustomerID) (Ring, error) {
	return s.Store.Of(ctx, of)
}

// Enrol asks the server to take a key. The server checks the code or signature that vouches for it.
func (s *Service) Enrol(ctx context.Context, of account.CustomerID, e wire.Enrolment) (wire.Enrolled, error) {
	var out wire.Enrolled
	if err := s.ask(ctx, of, wire.MethodApproverEnrol, e, &out); err != nil {
		return out, err
	}
	return out, s.learn(ctx, of, out.Key)
}

// learn takes over a new key from the server's answer: the page that comes next shows it, while the server's own report
// is still on its way. That one tells of all keys and comes again if it must.
func (s *Service) learn(ctx context.Context, of account.CustomerID, k wire.ApproverKey) error {
	ring, err := s.Store.Of(ctx, of)
	if err != nil {
		return fmt.Errorf("approver keys: %w", err)
	}
	known := func(other wire.ApproverKey) bool { return other.KeyID == k.KeyID }
	if slices.ContainsFunc(ring.Keys, known) {
		return nil
	}
	return s.Report(ctx, ring.ServerID, wire.ApproverState{Keys: append(ring.Keys, k)})
}

// Revoke asks the server to refuse a key from now on. The server checks the signature.
func (s *Service) Revoke(ctx context.Context, of account.CustomerID, r wire.Revocation) (wire.ApproverState, error) {
	var out wire.ApproverState
	if err := s.ask(ctx, of, wire.MethodApproverRevoke, r, &out); err != nil {
		return out, err
	}
	ring, err := s.Store.Of(ctx, of)
	if err != nil {
		return out, fmt.Errorf("approver keys: %w", err)
	}
	return out, s.Report(ctx, ring.ServerID, out)
}

func (s *Service) ask(ctx context.Context, of account.CustomerID, m wire.Method, params, result any) error {
	ring, err := s.Store.Of(ctx, of)
	if err != nil {
		return fmt.Errorf("approver keys: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	return s.Live.Call(ctx, string(ring.ServerID), m, params, result)
}

// maxKeys bounds what a server may report.
const maxKeys = 100

var errForm = fault.New(fault.Invalid, "approver-form", "approver keys from server do not fit", "The keys from the server could not be read.")

// Report keeps what a server says about its keys, in the transaction of ctx.
func (s *Service) Report(ctx context.Context, id server.ID, st wire.ApproverState) error {
	if len(st.Keys) > maxKeys {
		return errForm
	}
	for _, k := range st.Keys {
		if k.KeyID == "" || k.Kind == "" || k.Holder == "" || len(k.SPKI) > 512 || len(k.Label) > 512 || len(k.Credential) > 2048 || len(k.KeyID) > 64 {
			return errForm
		}
	}
	if err := s.Store.Report(ctx, id, st); err != nil {
		return fmt.Errorf("report approver keys: %w", err)
	}
	return nil
}
