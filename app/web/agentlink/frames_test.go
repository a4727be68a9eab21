package agentlink_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/relay"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

func alert(n int) wire.Alert {
	return wire.Alert{Kind: "test", Severity: "soft", Text: fmt.Sprintf("alert %04d", n), Time: time.Now().UTC().Truncate(time.Microsecond)}
}

// alerts gives the texts of a server's alerts, oldest first.
func (h *hub) alerts(t *testing.T, c customer) (out []string) {
	t.Helper()
	list, err := (&db.Alerts{DB: h.db}).List(t.Context(), c.server, 100_000)
	must(t, err)
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i].Text)
	}
	return out
}

func inOrder(t *testing.T, got []string, n int) {
	t.Helper()
	if len(got) != n {
		t.Fatalf("%d arrived, want %d", len(got), n)
	}
	for i, text := range got {
		if want := fmt.Sprintf("alert %04d", i); text != want {
			t.Fatalf("place %d holds %q, want %q", i, text, want)
		}
	}
}

func TestFrames_appliedOnce(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	r, w := h.open(t, a, 0)
	if w.LastSeq != 0 {
		t.Fatalf("welcomed at %d", w.LastSeq)
	}
	zero, one := wire.Frame{Type: wire.TypeAlert, ID: newID(), Seq: 1}, wire.Frame{Type: wire.TypeAlert, ID: newID(), Seq: 2}
	r.send(zero, alert(0))
	r.send(zero, alert(0)) // the same frame twice
	r.send(one, alert(1))
	r.acked(2)
	r, w = h.open(t, a, 0)
	if w.LastSeq != 2 {
		t.Fatalf("resumed at %d, want 2", w.LastSeq)
	}
	r.send(one, alert(1))                                                    // again after a break
	r.send(wire.Frame{Type: wire.TypeAlert, ID: zero.ID, Seq: 3}, alert(99)) // an old id with a new number
	r.send(wire.Frame{Type: wire.TypeAlert, ID: newID(), Seq: 4}, alert(2))
	r.acked(4)
	inOrder(t, h.alerts(t, c), 3)
}

func TestFrames_gapEndsTheConnection(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	r, _ := h.open(t, a, 0)
	r.send(wire.Frame{Type: wire.TypeAlert, ID: newID(), Seq: 2}, alert(1))
	if got := r.closed(); got != "gap" {
		t.Fatalf("closed with %q, want gap", got)
	}
	r, w := h.open(t, a, 0)
	if w.LastSeq != 0 {
		t.Fatalf("resumed at %d: the frame after the gap was applied", w.LastSeq)
	}
	r.send(wire.Frame{Type: wire.TypeAlert, ID: newID(), Seq: 1}, alert(0))
	r.send(wire.Frame{Type: wire.TypeAlert, ID: newID(), Seq: 2}, alert(1))
	r.acked(2)
	inOrder(t, h.alerts(t, c), 2)
}

func TestFrames_refusedDoNotHoldUpTheRest(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c, other := h.newCustomer(t), h.newCustomer(t)
	a, b := h.newAgent(t, c), h.newAgent(t, other)
	forged := a.question()
	forged.Summary, forged.RunID = "another", newID() // the digest covers the run
	seq := int64(0)
	next := func(t wire.Type) wire.Frame {
		seq++
		return wire.Frame{Type: t, ID: newID(), Seq: seq}
	}
	r, _ := h.open(t, a, 0)
	r.send(next(wire.TypeApprovalRequest), forged)
	r.send(next(wire.TypeApprovalRequest), b.question()) // in another server's name
	r.send(next(wire.TypeApprovalRequest), "no approval at all")
	r.send(next(wire.TypeApprovalRequest), a.question(func(q *wire.Approval) { q.ID = "not-an-id" }))
	r.send(next(wire.TypeApprovalRequest), a.question(func(q *wire.Approval) { q.Action = "a\x00b" })) // nothing Postgres can keep
	r.send(next(wire.TypeApprovalDecision), wire.Decision{})                                           // a server decides nothing
	r.send(next(wire.TypeApprovalUpdate), wire.ApprovalUpdate{ID: newID(), State: wire.ApprovalAllowed})
	r.send(next(wire.TypeReceiptCheckpoint), wire.Checkpoint{Seq: 1, Hash: strings.Repeat("ab", 32)}) // not signed
	r.send(next(wire.TypeAlert), wire.Alert{Kind: "x", Severity: "enormous"})                         // against a constraint
	r.send(next(wire.TypeAlert), alert(0))
	r.acked(seq)
	inOrder(t, h.alerts(t, c), 1)
	var refused int
	must(t, h.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM link_in WHERE refused <> ''").Scan(&refused))
	n, err := h.approvals.Pending(t.Context(), c.id)
	must(t, err)
	m, err := h.approvals.Pending(t.Context(), other.id)
	must(t, err)
	if refused != 9 || n != 0 || m != 0 {
		t.Fatalf("%d refused, %d and %d approvals", refused, n, m)
	}
}

func TestFrames_noFrames(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	a := h.newAgent(t, h.newCustomer(t))
	r, _ := h.open(t, a, 0)
	must(t, r.ws.Write(t.Context(), 1, []byte("not JSON")))
	if got := r.closed(); got != "frame" {
		t.Fatalf("closed with %q", got)
	}
	r, _ = h.open(t, a, 0)
	r.send(wire.Frame{Type: wire.TypePart, ID: "a"}, wire.Part{Of: "a", Index: 3, Total: 5, Data: []byte("x")})
	if got := r.closed(); got != "frame" {
		t.Fatalf("closed with %q", got)
	}
	r, _ = h.open(t, a, 0)
	_ = r.ws.Write(t.Context(), 1, make([]byte, wire.MaxFrame+1)) // the hub may hang up before all of it is written
	waitFor(t, "the hub hangs up", func() bool { return h.handler.Count() == 0 })
}

// TestFrames_large sends bodies beyond one frame through every path.
func TestFrames_large(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.answers(func(_ context.Context, m wire.Method, p json.RawMessage) (any, error) {
		if m == wire.MethodRunGet {
			return strings.Repeat("r", wire.MaxBody), nil
		}
		return p, nil
	})
	a.run(h.web.URL)
	a.up(h)
	long := strings.Repeat("+ a line of the diff\n", 150_000) // 3 MB
	q := a.question(func(q *wire.Approval) { q.Diff = &wire.Diff{Path: "x", Unified: long} })
	h.asked(t, a, c, q)
	got, err := h.approvals.Get(t.Context(), c.id, q.ID)
	must(t, err)
	if got.Diff.Unified != long {
		t.Fatal("the long diff differs")
	}
	for _, m := range []wire.Method{wire.MethodEcho, wire.MethodSessionGet} {
		var back string
		h.patiently(t, c, m, long, &back)
		if back != long {
			t.Fatalf("%s gave %d bytes back", m, len(back))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err = h.relay.Call(ctx, string(c.server), wire.MethodRunGet, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "too long") {
		t.Fatalf("an answer beyond the limit: %v", err)
	}
	down := json.RawMessage(`{"path":"` + strings.Repeat("x", 500<<10) + `"}`)
	must(t, first(h.approvals.Decide(t.Context(), c.id, q.ID, approval.Answer{Signature: signature(t), Verb: wire.Edit, Args: down, By: c.owner()})))
	waitFor(t, "the long decision arrives", func() bool { d, n := a.decision(q.ID); return n == 1 && len(d.Args) == len(down) })
	h.patiently(t, c, wire.MethodEcho, "still there", nil)
}

// TestFrames_serverRefuses: what the server cannot apply is noted there, and does not hold up what follows.
func TestFrames_serverRefuses(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c, other := h.newCustomer(t), h.newCustomer(t)
	a, b := h.newAgent(t, c), h.newAgent(t, other)
	key, err := h.links.SealKey(t.Context(), c.server)
	must(t, err)
	wrongKey, err := h.links.SealKey(t.Context(), other.server)
	must(t, err)
	put := func(key string, change func(*wire.Frame)) wire.Frame {
		f, err := relay.NewFrame(wire.TypeApprovalDecision, key, wire.Decision{ApprovalID: newID()}, time.Now())
		must(t, err)
		change(&f)
		must(t, h.links.Put(t.Context(), c.server, f))
		return f
	}
	put(wrongKey, func(*wire.Frame) {})
	put(key, func(f *wire.Frame) { f.ID = newID() }) // a sealed body under another id
	put(key, func(f *wire.Frame) { f.Body = json.RawMessage(`{"box":"AAAA"}`) })
	put(key, func(f *wire.Frame) { f.Body = json.RawMessage(`[]`) })
	plain := put(key, func(f *wire.Frame) { f.Type = wire.TypeRunCancel }) // read as another type
	good := put(key, func(*wire.Frame) {})
	a.fail = func(f wire.Frame) error {
		if f.Type == wire.TypeRunCancel {
			return fmt.Errorf("no run: %w", link.ErrRefused)
		}
		return nil
	}
	a.run(h.web.URL)
	waitFor(t, "the good frame arrives", func() bool { return len(a.frames(wire.TypeApprovalDecision)) == 1 })
	if got := a.frames(wire.TypeApprovalDecision)[0].ID; got != good.ID {
		t.Fatalf("applied %s", got)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.refused) != 5 || a.refused[4].ID != plain.ID {
		t.Fatalf("%d refused", len(a.refused))
	}
	_ = b
}

// TestFrames_comeAgainUntilApplied: a server that cannot apply a frame now gets it again, and nothing after it before.
func TestFrames_comeAgainUntilApplied(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	tries := 0
	a.fail = func(wire.Frame) error {
		if tries++; tries <= 3 {
			return errors.New("the disk is full")
		}
		return nil
	}
	var ids []string
	for range 5 {
		f, err := relay.NewFrame(wire.TypeRunCancel, "", wire.RunCancel{RunID: newID()}, time.Now())
		must(t, err)
		must(t, h.links.Put(t.Context(), c.server, f))
		ids = append(ids, f.ID)
	}
	a.run(h.web.URL)
	waitFor(t, "all frames are applied", func() bool { return len(a.frames(wire.TypeRunCancel)) == len(ids) })
	for i, f := range a.frames(wire.TypeRunCancel) {
		if f.ID != ids[i] {
			t.Fatalf("place %d holds another frame", i)
		}
	}
}
