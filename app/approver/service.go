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

// reportWait is how long a page waits for a report that follows an answer.
const reportWait = 2 * time.Second

// Ring is the keys of a customer's server, and what a page needs to sign.
type Ring struct {
	ServerID server.ID
	Version  int64 // of the configuration that the server runs: changes of power are signed for it
	Keys     []wire.ApproverKey
	Vouched  *wire.Vouched        // the server's signature over the list of its keys (wire.KeyList); nil when it sent none
	Recovery *wire.SealedRecovery // the recovery code that nobody has written down yet; nil when none waits
}

// Store is what Service needs; db.Approvers has it.
type Store interface {
	// Of reads the keys of the customer's server, oldest first.
	Of(ctx context.Context, of account.CustomerID) (Ring, error)
	// Report keeps what a server says about its keys, in the transaction of ctx.
	Report(ctx context.Context, id server.ID, s wire.ApproverState) error
}

// Service is what the hub does about keys.
type Service struct {
	Store    Store
	Requests Requests
	Peer     server.Peer
	Now      func() time.Time
}

// Of reads the keys of the customer's server, as the server reported them.
func (s *Service) Of(ctx context.Context, of account.CustomerID) (Ring, error) {
	return s.Store.Of(ctx, of)
}

// Enrol asks the server to take a key. The server checks the code or signature that vouches for it.
func (s *Service) Enrol(ctx context.Context, of account.CustomerID, e wire.Enrolment) (wire.Enrolled, error) {
	out, err := server.Ask[wire.Enrolled](ctx, s.Peer, of, wire.MethodApproverEnrol, e, askWait)
	if err != nil {
		return out, err
	}
	s.heard(ctx, of, func(r Ring) bool { return has(r.Keys, out.Key.KeyID) })
	return out, nil
}

// Revoke asks the server to refuse a key from now on. The server checks the signature.
func (s *Service) Revoke(ctx context.Context, of account.CustomerID, r wire.Revocation) (wire.ApproverState, error) {
	out, err := server.Ask[wire.ApproverState](ctx, s.Peer, of, wire.MethodApproverRevoke, r, askWait)
	if err != nil {
		return out, err
	}
	s.heard(ctx, of, func(ring Ring) bool { return !has(ring.Keys, r.KeyID) })
	return out, nil
}

// NewRecovery asks the server for a new recovery code. The server checks the signature, and seals the code to the browser that
// asks. It waits until the code is known here as well: the browser has no key any more for the one before.
func (s *Service) NewRecovery(ctx context.Context, of account.CustomerID, a wire.RecoveryAsk) (wire.SealedRecovery, error) {
	out, err := server.Ask[wire.SealedRecovery](ctx, s.Peer, of, wire.MethodRecoveryNew, a, askWait)
	if err != nil {
		return out, err
	}
	s.heard(ctx, of, func(r Ring) bool { return r.Recovery != nil && r.Recovery.Sig == out.Sig })
	return out, nil
}

// RecoveryKept has the server delete the sealed recovery code, which somebody has written down, and waits until it is deleted
// here as well.
func (s *Service) RecoveryKept(ctx context.Context, of account.CustomerID, a wire.RecoveryKept) error {
	if _, err := server.Ask[struct{}](ctx, s.Peer, of, wire.MethodRecoveryKept, a, askWait); err != nil {
		return err
	}
	s.heard(ctx, of, func(r Ring) bool { return r.Recovery == nil })
	return nil
}

func has(keys []wire.ApproverKey, id string) bool {
	return slices.ContainsFunc(keys, func(k wire.ApproverKey) bool { return k.KeyID == id })
}

// heard waits a moment for the server's report, which travels apart from its answer: the page that comes next shows it.
// Without one the page is behind, and nothing else. What a server says of its keys is kept in one place alone, Report, so
// that an answer never undoes a newer report.
func (s *Service) heard(ctx context.Context, of account.CustomerID, told func(Ring) bool) {
	ctx, cancel := context.WithTimeout(ctx, reportWait)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if ring, err := s.Store.Of(ctx, of); err != nil || told(ring) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// maxKeys bounds what a server may report.
const maxKeys = 100

var errForm = fault.New(fault.Invalid, "approver-form", "approver keys from server do not fit", "The list of devices from the server could not be read.")

// Report keeps what a server says about its keys, in the transaction of ctx.
func (s *Service) Report(ctx context.Context, id server.ID, st wire.ApproverState) error {
	if len(st.Keys) > maxKeys {
		return errForm
	}
	if v := st.Vouched; v != nil && (len(v.Key) != 64 || len(v.Sig) != 128) { // hex of 32 and of 64 bytes
		return errForm
	}
	if r := st.Recovery; r != nil && (len(r.KeyID) > 64 || len(r.Box) > 1024 || len(r.Sig) != 128) {
		return errForm
	}
	for _, k := range st.Keys {
		if k.KeyID == "" || k.Kind == "" || k.Holder == "" || len(k.SPKI) > 1024 || len(k.Label) > 512 || len(k.Credential) > 2048 || len(k.KeyID) > 64 {
			return errForm
		}
	}
	if err := s.Store.Report(ctx, id, st); err != nil {
		return fmt.Errorf("report approver keys: %w", err)
	}
	return nil
}
