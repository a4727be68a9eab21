package link

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// Handler is what agentd does with what comes from the hub.
type Handler interface {
	// RPC answers a question. A *wire.RPCError reaches the person who asked; any other error stays in the log.
	RPC(ctx context.Context, m wire.Method, params json.RawMessage) (any, error)
	// Apply takes a reliable frame, sealed bodies opened, in tx: once for each frame. It runs on the store's writer and
	// must be quick; what follows once it is durable it leaves with the store (OnCommit). An error that wraps ErrRefused
	// is final: the frame is noted as refused and not sent again; with any other error it comes again later, and nothing
	// after it before.
	Apply(ctx context.Context, tx *sql.Tx, f wire.Frame) error
	// Refused is called, in the transaction that notes it, for a frame that is taken without effect: its sealed body
	// does not open, or Apply has refused it. The body is as it came.
	Refused(ctx context.Context, tx *sql.Tx, f wire.Frame, why error) error
}

// ErrRefused marks a frame that can never be applied.
var ErrRefused = errors.New("frame refused")

// errGap says that a frame is missing before the one that came. The connection starts anew and resumes.
var errGap = errors.New("a frame of the hub is missing")

// inbox applies reliable frames of the hub, each once.
type inbox struct {
	db      Store
	handler Handler
	seal    string
	now     func() time.Time
}

// applied is the number of the last frame that was applied.
func (b *inbox) applied(ctx context.Context) (seq int64, err error) {
	if err := b.db.Read().QueryRowContext(ctx, "SELECT in_seq FROM link_state").Scan(&seq); err != nil {
		return 0, fmt.Errorf("read inbox: %w", err)
	}
	return seq, nil
}

// apply takes one frame and gives the number that may be acknowledged.
func (b *inbox) apply(ctx context.Context, f wire.Frame) (int64, error) {
	plain, sealed := b.open(f)
	seq := f.Seq
	err := b.db.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		now, fresh, err := b.once(ctx, tx, f.ID, f.Seq)
		if seq = now; err != nil || !fresh {
			return err
		}
		refused, err := b.effect(ctx, tx, f, plain, sealed)
		if err != nil {
			return err
		}
		return b.note(ctx, tx, f, refused)
	})
	if err != nil {
		return 0, fmt.Errorf("apply frame %s: %w", f.ID, err)
	}
	return seq, nil
}

// open opens a sealed body; one that does not open was not made for this server, or was changed.
func (b *inbox) open(f wire.Frame) (wire.Frame, error) {
	if !f.Type.Sealed() {
		return f, nil
	}
	var s wire.Sealed
	if err := json.Unmarshal(f.Body, &s); err != nil {
		return f, fmt.Errorf("%w: %w", ErrRefused, wire.ErrSealed)
	}
	body, err := wire.Open(b.seal, wire.SealInfo(f.Type, f.ID), s)
	if err != nil {
		return f, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	f.Body = body
	return f, nil
}

// once says whether the frame is new, and moves the number on.
func (b *inbox) once(ctx context.Context, tx *sql.Tx, id string, seq int64) (now int64, fresh bool, err error) {
	if err := tx.QueryRowContext(ctx, "SELECT in_seq FROM link_state").Scan(&now); err != nil {
		return 0, false, err
	}
	switch {
	case seq <= now:
		return now, false, nil
	case seq > now+1:
		return now, false, errGap
	}
	if _, err := tx.ExecContext(ctx, "UPDATE link_state SET in_seq = ?", seq); err != nil {
		return 0, false, err
	}
	var known int
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM link_in WHERE id = ?", id).Scan(&known)
	return seq, known == 0, err
}

// effect lets the handler apply the frame, or tells it why not. Of a refused Apply nothing is left.
func (b *inbox) effect(ctx context.Context, tx *sql.Tx, f, plain wire.Frame, refused error) (why, err error) {
	if refused == nil {
		refused, err = b.db.Attempt(tx, func() error { return b.handler.Apply(ctx, tx, plain) })
		switch {
		case err != nil || refused == nil:
			return nil, err
		case !errors.Is(refused, ErrRefused):
			return nil, refused
		}
	}
	return refused, b.handler.Refused(ctx, tx, f, refused)
}

// note remembers the frame's id.
func (b *inbox) note(ctx context.Context, tx *sql.Tx, f wire.Frame, why error) error {
	text := ""
	if why != nil {
		text = why.Error()
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO link_in (id, type, applied_at, refused) VALUES (?, ?, ?, ?)",
		f.ID, string(f.Type), b.now().UTC().Format(time.RFC3339), text)
	return err
}

// forgetAfter is how long ids of applied frames are remembered beyond their numbers.
const forgetAfter = 30 * 24 * time.Hour

// tidy forgets ids that are too old to come again.
func (b *inbox) tidy(ctx context.Context) error {
	err := b.db.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		_, err := tx.ExecContext(ctx, "DELETE FROM link_in WHERE applied_at < ?", b.now().Add(-forgetAfter).UTC().Format(time.RFC3339))
		return err
	})
	if err != nil {
		return fmt.Errorf("tidy inbox: %w", err)
	}
	return nil
}
