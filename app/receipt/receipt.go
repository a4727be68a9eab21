package receipt

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// Broken is the kind of the alert that says that a log does not extend what was anchored.
const Broken = "receipts_broken"

// Store is what Service needs; db.Checkpoints has it. Its calls belong to the transaction of ctx.
type Store interface {
	// Head is the newest checkpoint of a server; Seq is 0 before the first.
	Head(ctx context.Context, id server.ID) (wire.Checkpoint, error)
	// At is the checkpoint of that number; Seq is 0 when there is none.
	At(ctx context.Context, id server.ID, seq int64) (wire.Checkpoint, error)
	// Add keeps a checkpoint for good.
	Add(ctx context.Context, id server.ID, c wire.Checkpoint, at time.Time) error
	// List gives the newest checkpoints of a server, newest first.
	List(ctx context.Context, id server.ID, limit int) ([]wire.Checkpoint, error)
}

// Alerts keeps what a person should know about a server, in the transaction of ctx; db.Alerts has it.
type Alerts interface {
	Raise(ctx context.Context, id server.ID, a wire.Alert, at time.Time) error
}

// Service is the anchor.
type Service struct {
	Store  Store
	Alerts Alerts
	Now    func() time.Time
}

// errForged says that a checkpoint does not carry the server's signature.
var errForged = fault.New(fault.Forbidden, "checkpoint-signature", "checkpoint is not signed by the server's key", "The checkpoint is not signed by this server.")

// Keep takes a checkpoint that came over the link of server id, whose key is given, in the transaction of ctx. A log
// that does not extend what is anchored raises an alert, and the anchor stays as it is.
func (s *Service) Keep(ctx context.Context, id server.ID, key ed25519.PublicKey, c wire.Checkpoint) error {
	sig, err := base64.RawURLEncoding.DecodeString(c.Signature)
	if err != nil || c.KeyID != wire.KeyID(key) || !ed25519.Verify(key, wire.CheckpointText(string(id), c), sig) {
		return fmt.Errorf("checkpoint %d: %w", c.Seq, errForged)
	}
	why, add, err := s.judge(ctx, id, c)
	switch {
	case err != nil:
		return fmt.Errorf("checkpoint %d: %w", c.Seq, err)
	case why != "":
		return s.Alerts.Raise(ctx, id, wire.Alert{Kind: Broken, Severity: "hard", Text: why, Time: c.Time}, s.Now().UTC())
	case !add:
		return nil
	}
	if err := s.Store.Add(ctx, id, c, s.Now().UTC()); err != nil {
		return fmt.Errorf("checkpoint %d: %w", c.Seq, err)
	}
	return nil
}

// judge says whether c extends the anchor, why not, and whether it is new.
func (s *Service) judge(ctx context.Context, id server.ID, c wire.Checkpoint) (why string, add bool, err error) {
	if raw, err := hex.DecodeString(c.Hash); c.Seq < 1 || err != nil || len(raw) != 32 {
		return "The server sent a checkpoint of its receipts that is none.", false, nil
	}
	head, err := s.Store.Head(ctx, id)
	if err != nil || c.Seq > head.Seq {
		return "", true, err
	}
	known, err := s.Store.At(ctx, id, c.Seq)
	switch {
	case err != nil:
		return "", false, err
	case known.Seq == 0:
		return fmt.Sprintf("The log of receipts went back: it was anchored up to %d, and now %d is reported as its end.", head.Seq, c.Seq), false, nil
	case known.Hash != c.Hash:
		return fmt.Sprintf("The log of receipts was rewritten: receipt %d has another hash than when it was anchored.", c.Seq), false, nil
	}
	return "", false, nil
}

// Head is the newest checkpoint of a server; Seq is 0 before the first.
func (s *Service) Head(ctx context.Context, id server.ID) (wire.Checkpoint, error) {
	return s.Store.Head(ctx, id)
}

// List gives the newest checkpoints of a server, newest first, at most 200.
func (s *Service) List(ctx context.Context, id server.ID, limit int) ([]wire.Checkpoint, error) {
	return s.Store.List(ctx, id, min(max(limit, 1), 200))
}
