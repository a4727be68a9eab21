package link

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

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
