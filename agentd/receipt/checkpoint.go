package receipt

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gatehouse/agentd/wire"
)

// A checkpoint is made after so many records or so much time, whichever comes first, and at shutdown.
const (
	perCheckpoint = 100
	between       = 60 * time.Second
)

// Anchor tells the log who signs its checkpoints and where they go. Without it, Run makes none.
func (l *Log) Anchor(serverID string, key ed25519.PrivateKey, out Outbox, log *slog.Logger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.signer = &signer{server: serverID, key: key, out: out, log: log}
}

// Run makes checkpoints until ctx ends, and a last one then.
func (l *Log) Run(ctx context.Context) {
	tick := time.NewTicker(between)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-l.due:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			l.try(last)
			return
		}
		l.try(ctx)
	}
}

// try makes a checkpoint; what fails now is tried again at the next tick.
func (l *Log) try(ctx context.Context) {
	l.mu.Lock()
	s := l.signer
	l.mu.Unlock()
	if s == nil {
		return
	}
	if err := l.Checkpoint(ctx); err != nil {
		s.log.ErrorContext(ctx, "checkpoint not made", "error", err)
	}
}

// ErrNoKey says that Anchor was not called.
var ErrNoKey = errors.New("no key to sign checkpoints with")

// Checkpoint signs the head of the log and hands it to the outbox, unless the last checkpoint already covers it.
func (l *Log) Checkpoint(ctx context.Context) error {
	l.mu.Lock()
	s := l.signer
	l.mu.Unlock()
	if s == nil {
		return ErrNoKey
	}
	whole := context.WithoutCancel(ctx) // for statements: one that is interrupted would take others with it
	return l.db.Write(ctx, func(tx *sql.Tx) error {
		c, fresh, err := l.next(whole, tx, s)
		if err != nil || !fresh {
			return err
		}
		if err := insertCheckpoint(whole, tx, c); err != nil {
			return err
		}
		if err := s.out.Put(whole, tx, wire.TypeReceiptCheckpoint, c); err != nil {
			return fmt.Errorf("send checkpoint: %w", err)
		}
		l.db.OnCommit(tx, func() { l.made(s, c) })
		return nil
	})
}

// next signs the head, if it is newer than the last checkpoint.
func (l *Log) next(ctx context.Context, tx *sql.Tx, s *signer) (wire.Checkpoint, bool, error) {
	seq, hash, err := l.head(tx)
	if err != nil {
		return wire.Checkpoint{}, false, err
	}
	last, err := previous(ctx, tx)
	if err != nil {
		return wire.Checkpoint{}, false, err
	}
	c := wire.Checkpoint{
		Seq: seq, Hash: hash, PrevSeq: last.Seq, PrevHash: last.Hash, Time: l.now().UTC(), KeyID: wire.KeyID(s.key.Public().(ed25519.PublicKey)),
	}
	c.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(s.key, wire.CheckpointText(s.server, c)))
	return c, seq > last.Seq, nil
}

// previous is the place of the last checkpoint, with the hash that the log holds there: what the checkpoint signed then
// would say nothing about a log that was rewritten below it.
func previous(ctx context.Context, tx *sql.Tx) (Head, error) {
	at := Head{Hash: Genesis}
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM checkpoints").Scan(&at.Seq); err != nil {
		return at, fmt.Errorf("last checkpoint: %w", err)
	}
	if at.Seq == 0 {
		return at, nil
	}
	err := tx.QueryRowContext(ctx, "SELECT hash FROM receipts WHERE seq = ?", at.Seq).Scan(&at.Hash)
	if errors.Is(err, sql.ErrNoRows) {
		return at, &Broken{Seq: at.Seq, Why: "is missing although a checkpoint covers it"}
	}
	if err != nil {
		return at, fmt.Errorf("last checkpoint: %w", err)
	}
	return at, nil
}

func insertCheckpoint(ctx context.Context, tx *sql.Tx, c wire.Checkpoint) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO checkpoints (seq, hash, prev_seq, prev_hash, time, key_id, signature) VALUES (?,?,?,?,?,?,?)",
		c.Seq, c.Hash, c.PrevSeq, c.PrevHash, stamp(c.Time), c.KeyID, c.Signature)
	if err != nil {
		return fmt.Errorf("keep checkpoint: %w", err)
	}
	return nil
}

// made starts the count anew and writes the checkpoint beside the database too, where a truncated or exchanged
// database cannot take it along.
func (l *Log) made(s *signer, c wire.Checkpoint) {
	l.mu.Lock()
	l.since = 0
	l.mu.Unlock()
	if err := appendAnchor(l.db.Dir(), c); err != nil {
		s.log.Error("anchor not written", "error", err)
	}
}
