package receipt

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// Broken is the kind of the alert that says that a log does not extend what was anchored.
const Broken = "receipts_broken"

// Log is one history of a server's log as far as the caller knows it. A server that registered with a new key has begun a
// new one, and so has a server that a person released: what a Store gives for a Log is of that history alone.
type Log struct {
	Server server.ID
	KeyID  string
}

// Store is what Service needs; db.Checkpoints has it. Its calls belong to the transaction of ctx.
type Store interface {
	// Head is the newest checkpoint of a log; Seq is 0 before the first.
	Head(ctx context.Context, l Log) (wire.Checkpoint, error)
	// At is the checkpoint of that number; Seq is 0 when there is none.
	At(ctx context.Context, l Log, seq int64) (wire.Checkpoint, error)
	// Add keeps a checkpoint for good.
	Add(ctx context.Context, id server.ID, c wire.Checkpoint, at time.Time) error
	// List gives the newest checkpoints of a log, newest first.
	List(ctx context.Context, l Log, limit int) ([]wire.Checkpoint, error)
	// Hold opens a hold on a server and raises an alert of kind Broken, both or neither; an open hold stays as it is.
	Hold(ctx context.Context, h Hold) error
	// Held gives the open hold on a server; its At is zero when there is none.
	Held(ctx context.Context, id server.ID) (Hold, error)
	// Release ends the open hold, so that the next checkpoint begins a new history; false when there is none. The record
	// is kept with it or not at all.
	Release(ctx context.Context, id server.ID, at time.Time, e audit.Entry) (bool, error)
	// AllHeld gives the open holds, oldest first.
	AllHeld(ctx context.Context, limit int) ([]Hold, error)
}

// Service is the anchor.
type Service struct {
	Store Store
	Now   func() time.Time
}

// errForged says that a checkpoint does not carry the server's signature.
var errForged = fault.New(fault.Forbidden, "checkpoint-signature", "checkpoint is not signed by the server's key", "The checkpoint is not signed by this server.")

// Keep takes a checkpoint that came over the link of server id, whose key is given, in the transaction of ctx. A log that
// does not extend what is anchored puts the server on hold, and the anchor stays as it is.
func (s *Service) Keep(ctx context.Context, id server.ID, key ed25519.PublicKey, c wire.Checkpoint) error {
	sig, err := base64.RawURLEncoding.DecodeString(c.Signature)
	if err != nil || c.KeyID != wire.KeyID(key) || !ed25519.Verify(key, wire.CheckpointText(string(id), c), sig) {
		return fmt.Errorf("checkpoint %d: %w", c.Seq, errForged)
	}
	why, add, err := s.judge(ctx, Log{id, c.KeyID}, c)
	switch {
	case err != nil:
	case why != "":
		err = s.Store.Hold(ctx, Hold{Server: id, Why: why, At: s.Now().UTC(), Said: &c})
	case add:
		err = s.add(ctx, id, c)
	}
	if err != nil {
		return fmt.Errorf("checkpoint %d: %w", c.Seq, err)
	}
	return nil
}

// add keeps c, unless the server is on hold: what goes on from a broken log is part of it.
func (s *Service) add(ctx context.Context, id server.ID, c wire.Checkpoint) error {
	h, err := s.Store.Held(ctx, id)
	if err != nil || !h.At.IsZero() {
		return err
	}
	return s.Store.Add(ctx, id, c, s.Now().UTC())
}

// Kept gives what a server of that key can be asked about, newest first.
func (s *Service) Kept(ctx context.Context, id server.ID, key ed25519.PublicKey) ([]wire.Checkpoint, error) {
	return s.Store.List(ctx, Log{id, wire.KeyID(key)}, wire.MaxHashes)
}

// Compare looks whether the log of a server still holds what is kept of it. Whatever is kept was durable on the server
// before it was sent, so a server that lacks it has lost it.
func (s *Service) Compare(ctx context.Context, id server.ID, kept []wire.Checkpoint, has wire.HashesResult) error {
	for _, c := range kept {
		why := lost(c, has)
		if why == "" {
			continue
		}
		// A person may have released the server while it was asked: what was kept until then is no longer compared.
		still, err := s.Store.At(ctx, Log{id, c.KeyID}, c.Seq)
		if err == nil && still.Seq != 0 {
			err = s.Store.Hold(ctx, Hold{Server: id, Why: why, At: s.Now().UTC()})
		}
		if err != nil {
			return fmt.Errorf("compare receipts: %w", err)
		}
		return nil
	}
	return nil
}

// lost says why a server no longer has what c keeps; empty when it has it. What is no hash says nothing: a short secret of
// the server can stand in one by chance, and was taken out of the answer on its way.
func lost(c wire.Checkpoint, has wire.HashesResult) string {
	hash, there := has.Hashes[c.Seq]
	switch {
	case !there:
		return fmt.Sprintf("The log of receipts went back: receipt %d was anchored, and the server does not have it any more.", c.Seq)
	case hash != c.Hash && isHash(hash):
		return rewritten(c.Seq)
	}
	return ""
}
