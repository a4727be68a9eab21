package gate_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/link"
	"gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
)

// TestLarge: the largest question that is asked can be put again, with all that is said beside it; a larger one is none.
func TestLarge(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	s := openSafe(t, nil)
	s.with = func(d *gate.Deps) { d.Outbox = link.NewOutbox(d.DB, s.clock.now) }
	s.restart()
	s.Gate.Patient()
	red := func(bytes int) gate.Call {
		return s.bench.call("act", "red", strings.Repeat("ab c. ", bytes/6+1)[:bytes])
	}
	_, small := s.ask(red(1000))
	var frame int
	if err := s.DB.Read().QueryRowContext(t.Context(),
		"SELECT max(length(body)) FROM link_out WHERE type = 'approval.request'").Scan(&frame); err != nil {
		t.Fatal(err)
	}
	most := gate.MaxApprovalSize - (frame - 1000)
	if out := s.do(red(most + 1000)); out.State != wire.ToolDenied || !strings.Contains(out.Text, "too large") {
		t.Errorf("one that could not be put again: %s %s", out.State, out.Text)
	}
	f, a := s.ask(red(most - 100))
	stranger, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	d := gatetest.Answer(a, wire.AllowOnce)
	if err := gatetest.SignWith(stranger, &d, s.clock.now()); err != nil {
		t.Fatal(err)
	}
	d.By.Name = strings.Repeat("<", 300)
	if err := s.Deliver(d); err != nil {
		t.Fatalf("an answer that does not count can never be taken: %v", err)
	}
	if now := s.approval(a.ID); now.State != wire.ApprovalPending {
		t.Errorf("it is %s", now.State)
	}
	edit := gatetest.Answer(a, wire.Edit)
	edit.Args = []byte(`{"tier":"red","key":"k","` + strings.Repeat("<", 900) + `":1}`) // no such field, and each sign takes six
	s.decide(edit)
	open, err := s.Pending(a.RunID)
	if err != nil || len(open) != 1 || open[0].ID == a.ID {
		t.Fatalf("put again: %d questions, %v", len(open), err)
	}
	s.decide(gatetest.Answer(open[0], wire.Deny))
	s.wantState(f.end(t), wire.ToolDenied)
	s.decide(gatetest.Answer(small, wire.Deny))
}

// tight is an outbox that has no room for a question any more from a time on.
type tight struct {
	gate.Outbox
	full atomic.Bool
}

func (o *tight) Put(ctx context.Context, tx *sql.Tx, t wire.Type, body any) error {
	u, update := body.(wire.ApprovalUpdate)
	if o.full.Load() && (t == wire.TypeApprovalRequest || update && u.Again != nil) {
		return fmt.Errorf("put %s in outbox: %w", t, wire.ErrTooLarge)
	}
	return o.Outbox.Put(ctx, tx, t, body)
}

// TestLarge_notAgain: an answer that cannot be carried out, about a question that cannot be put again, ends it: were it
// refused, the link would bring it again and again and nothing behind it.
func TestLarge_notAgain(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(a wire.Approval) wire.Decision{
		"not signed": func(a wire.Approval) wire.Decision {
			d := gatetest.Answer(a, wire.AllowOnce)
			d.Signature = &wire.Signature{}
			return d
		},
		"of something else": func(a wire.Approval) wire.Decision {
			d := gatetest.Answer(a, wire.Deny)
			d.Digest = "another"
			return d
		},
		"for too long": func(a wire.Approval) wire.Decision {
			d := gatetest.Answer(a, wire.AllowWindow)
			d.Minutes = 100_000
			return d
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := &tight{}
			s := openSafe(t, nil)
			s.with = func(d *gate.Deps) {
				box.Outbox = d.Outbox
				d.Outbox = box
			}
			s.restart()
			f, a := s.ask(s.bench.call("act", "red", ""))
			g, other := s.ask(s.bench.call("act", "red", ""))
			box.full.Store(true)
			s.decide(answer(a))
			s.wantState(f.end(t), wire.ToolDenied)
			if now := s.approval(a.ID); now.State != wire.ApprovalWithdrawn || now.Execution != wire.ExecNone {
				t.Errorf("it is %s, %s", now.State, now.Execution)
			}
			types, err := s.Types(a.RunID)
			if err != nil || len(types) < 2 || types[len(types)-2] != "approval.refused" || types[len(types)-1] != "call.withdrawn" {
				t.Errorf("receipts %v, %v", types, err)
			}
			s.wantRan(a.CallID, 0)
			if open, err := s.Pending(a.RunID); err != nil || len(open) != 0 {
				t.Errorf("%d questions are left, %v", len(open), err)
			}
			s.decide(gatetest.Answer(other, wire.AllowOnce))
			s.wantState(g.end(t), wire.ToolDone)
		})
	}
}
