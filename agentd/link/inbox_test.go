package link

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// refuser puts a frame into the outbox, then refuses what it was to apply.
type refuser struct {
	worker
	out *Outbox
}

func (r refuser) Apply(ctx context.Context, tx *sql.Tx, f wire.Frame) error {
	if err := r.out.Put(ctx, tx, wire.TypeAlert, wire.Alert{}); err != nil {
		return err
	}
	return fmt.Errorf("%w: on purpose", ErrRefused)
}

// TestInbox_refused: the frame counts as taken, and nothing that its Apply did is left: neither rows nor what was to
// follow the commit.
func TestInbox_refused(t *testing.T) {
	t.Parallel()
	db, out := openStore(t)
	b := &inbox{db: db, handler: refuser{out: out}, now: time.Now}
	seq, err := b.apply(t.Context(), wire.Frame{ID: "f1", Type: wire.TypeConfigPush, Seq: 1})
	if err != nil || seq != 1 {
		t.Fatalf("%d, %v", seq, err)
	}
	frames, err := out.after(t.Context(), 0, 10)
	if err != nil || len(frames) != 0 {
		t.Errorf("left in the outbox: %v, %v", frames, err)
	}
	if len(out.wake) != 0 {
		t.Error("the sender was woken for what was taken back")
	}
}

// hasty is a store whose callers give up as soon as their Write has begun.
type hasty struct {
	*store.DB
	giveUp context.CancelFunc
}

func (h hasty) Write(_ context.Context, fn func(tx *sql.Tx) error) error {
	return h.DB.Write(context.Background(), func(tx *sql.Tx) error {
		h.giveUp()
		return fn(tx)
	})
}

// TestWrites_notInterrupted: a connection that breaks interrupts no Write that has begun: it would take those with it
// that share its transaction.
func TestWrites_notInterrupted(t *testing.T) {
	t.Parallel()
	for what, fn := range map[string]func(ctx context.Context, s Store) error{
		"apply": func(ctx context.Context, s Store) error {
			_, err := (&inbox{db: s, handler: worker{}, now: time.Now}).apply(ctx, wire.Frame{ID: "f1", Type: wire.TypeConfigPush, Seq: 1})
			return err
		},
		"tidy": func(ctx context.Context, s Store) error { return (&inbox{db: s, now: time.Now}).tidy(ctx) },
		"drop": func(ctx context.Context, s Store) error { return NewOutbox(s, time.Now).drop(ctx, 1) },
		"put": func(ctx context.Context, s Store) error {
			o := NewOutbox(s, time.Now)
			return s.Write(ctx, func(tx *sql.Tx) error { return o.Put(ctx, tx, wire.TypeAlert, wire.Alert{}) })
		},
		"resume": func(ctx context.Context, s Store) error { return NewOutbox(s, time.Now).resume(ctx, 0) },
	} {
		db, _ := openStore(t)
		ctx, cancel := context.WithCancel(t.Context())
		if err := fn(ctx, hasty{db, cancel}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
