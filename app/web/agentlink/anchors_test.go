package agentlink_test

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"gatehouse/agentd/link"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/audit"
	anchor "gatehouse/app/receipt"
	"gatehouse/app/team"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// logged is an agentd with a real log, which answers for it.
type logged struct {
	*agent
	*receipt.Log
	asked *atomic.Int64 // how often the hub wanted to know what it holds
}

// opened gives the agentd a log on its present data, and starts its link.
func (h *hub) opened(a *agent) logged {
	a.t.Helper()
	l := logged{agent: a, Log: receipt.New(a.db, time.Now), asked: &atomic.Int64{}}
	l.Anchor(a.id.ServerID, a.id.Key, a.outbox, a.log)
	a.answers(func(ctx context.Context, m wire.Method, p json.RawMessage) (any, error) {
		var asked wire.HashesParams
		if m != wire.MethodReceiptsHashes || json.Unmarshal(p, &asked) != nil {
			return nil, &wire.RPCError{Code: "not_found", Text: "There is no such thing."}
		}
		l.asked.Add(1)
		return l.Hashes(ctx, asked)
	})
	a.run(h.web.URL)
	a.up(h)
	return l
}

// work adds n receipts and anchors them.
func (l logged) work(n int) {
	l.t.Helper()
	for range n {
		must(l.t, l.db.Write(l.t.Context(), func(tx *sql.Tx) error {
			_, err := l.Append(tx, receipt.Entry{Type: "call.finished", RunID: newID()})
			return err
		}))
	}
	must(l.t, l.Checkpoint(l.t.Context()))
}

// sent waits until the hub has applied all that the agentd had to say.
func (l logged) sent() {
	l.t.Helper()
	waitFor(l.t, "the outbox is empty", l.empty)
}

// copied is a copy of the closed state, as a backup has it.
func (a *agent) copied() string {
	a.t.Helper()
	dir := a.t.TempDir()
	files, err := os.ReadDir(a.dir)
	must(a.t, err)
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(a.dir, f.Name()))
		must(a.t, err)
		must(a.t, os.WriteFile(filepath.Join(dir, f.Name()), raw, 0o600))
	}
	return dir
}

// closed ends link and database.
func (a *agent) closed() {
	a.t.Helper()
	a.stop()
	must(a.t, a.db.Close())
}

// on opens the agentd's state in dir.
func (a *agent) on(dir string) {
	a.t.Helper()
	must(a.t, os.Chmod(dir, 0o700))
	var err error
	a.dir = dir
	a.db, err = store.Open(dir, time.Now)
	must(a.t, err)
	a.t.Cleanup(func() { _ = a.db.Close() }) // some tests close it themselves
	a.outbox = link.NewOutbox(a.db, time.Now)
}

func (h *hub) held(t *testing.T, c customer) string {
	t.Helper()
	hold, err := (&db.Checkpoints{DB: h.db}).Held(t.Context(), c.server)
	must(t, err)
	return hold.Why
}

func (h *hub) head(a *agent, c customer) wire.Checkpoint {
	a.t.Helper()
	k, err := (&db.Checkpoints{DB: h.db}).Head(a.t.Context(), anchor.Log{Server: c.server, KeyID: wire.KeyID(a.id.Key.Public().(ed25519.PublicKey))})
	must(a.t, err)
	return k
}

// TestAnchors_stateSetBack puts a real state directory back to an older copy, and lets the server go on beyond where it
// was, away from the hub. The hub finds it both ways: by what the server signs, and by what it answers. Nothing can be
// allowed on it, until a person has looked; then its log is anchored as it is now.
func TestAnchors_stateSetBack(t *testing.T) {
	t.Parallel()
	for name, goesOn := range map[string]bool{"found by its next checkpoint": true, "found by asking": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := startHub(t, dbtest.New(t))
			c := h.newCustomer(t)
			a := h.newAgent(t, c)
			l := h.opened(a)
			l.work(3)
			l.sent()
			a.closed()
			old := a.copied()
			a.on(a.dir)
			l = h.opened(a)
			l.work(3)
			l.sent()
			a.closed()
			if why := h.held(t, c); why != "" || h.head(a, c).Seq != 6 {
				t.Fatalf("before: %q, head %+v", why, h.head(a, c))
			}
			a.on(old)
			if goesOn {
				l = logged{agent: a, Log: receipt.New(a.db, time.Now)}
				l.Anchor(a.id.ServerID, a.id.Key, a.outbox, a.log)
				l.work(10)
			}
			l = h.opened(a)
			waitFor(t, "the server is held", func() bool { return h.held(t, c) != "" })
			l.sent()
			if got := h.alerts(t, c); len(got) != 1 || h.head(a, c).Seq != 6 {
				t.Fatalf("alerts %q, head %+v", got, h.head(a, c))
			}
			h.refusesToAllow(t, l, c)
			must(t, h.receipts.Release(t.Context(), c.server, audit.Itself, "its disk was restored"))
			l.work(2)
			l.sent()
			l.work(2)
			l.sent()
			if why := h.held(t, c); why != "" || h.head(a, c).PrevSeq == 0 {
				t.Errorf("after the release: %q, head %+v", why, h.head(a, c))
			}
		})
	}
}

// TestAnchors_honestServer: what may befall a server that lost nothing holds nothing against it.
func TestAnchors_honestServer(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	l := h.opened(a)
	l.work(3)
	l.work(3)
	l.sent()
	made, err := receipt.Checkpoints(t.Context(), a.db.Read())
	must(t, err)
	a.put(wire.TypeReceiptCheckpoint, made[0], made[1], made[1]) // sent twice, in frames of their own
	l.work(1)
	l.sent()
	a.closed()
	a.on(a.dir) // it starts again, and has worked while it was away
	l = h.opened(a)
	l.work(4)
	l.sent()
	waitFor(t, "the hub asks", func() bool { return l.asked.Load() > 0 })
	kept, err := h.receipts.Kept(t.Context(), c.server, a.id.Key.Public().(ed25519.PublicKey))
	must(t, err)
	var all wire.HashesParams
	for _, k := range kept {
		all.Seqs = append(all.Seqs, k.Seq)
	}
	has, err := l.Hashes(t.Context(), all)
	must(t, err)
	must(t, h.receipts.Compare(t.Context(), c.server, kept, has))
	if why := h.held(t, c); why != "" || h.head(a, c).Seq != 11 || len(h.alerts(t, c)) != 0 {
		t.Fatalf("held: %q, head %+v, alerts %q", why, h.head(a, c), h.alerts(t, c))
	}
}

// TestAnchors_hubSetBack: a hub that lost the newest of what it kept goes on with what the server sends next.
func TestAnchors_hubSetBack(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	l := h.opened(a)
	for range 4 {
		l.work(2)
		l.sent()
	}
	a.stop()
	_, err := h.db.Pool.Exec(t.Context(), `ALTER TABLE checkpoints DISABLE TRIGGER history_guard; DELETE FROM checkpoints WHERE seq > 2;
		ALTER TABLE checkpoints ENABLE TRIGGER history_guard; UPDATE link_in_heads SET seq = 1; DELETE FROM link_in`)
	must(t, err)
	l = h.opened(a)
	l.work(2)
	l.sent()
	if why := h.held(t, c); why != "" || h.head(a, c).Seq != 10 {
		t.Fatalf("held: %q, head %+v", why, h.head(a, c))
	}
}

// refusesToAllow asks for something on a server that is on hold: it can be denied and not allowed.
func (h *hub) refusesToAllow(t *testing.T, l logged, c customer) {
	t.Helper()
	q := l.question(func(*wire.Approval) {})
	h.asked(t, l.agent, c, q)
	_, err := h.approvals.Decide(t.Context(), c.id, q.ID, approval.Answer{Verb: wire.AllowOnce, By: c.owner(), Signature: signature(t)})
	wantErr(t, err, anchor.ErrHeld)
	if got, err := h.approvals.Get(t.Context(), c.id, q.ID); err != nil || got.State != wire.ApprovalPending {
		t.Fatalf("%+v, %v", got, err)
	}
	_, err = h.approvals.Decide(t.Context(), c.id, q.ID, approval.Answer{Verb: wire.Deny, By: c.owner()})
	must(t, err)
}

// TestAnchors_oldAgentd: an agentd of version 1 is answered in its version and is not asked what it cannot answer. Its
// checkpoints name none before them, and are compared as far as that goes.
func TestAnchors_oldAgentd(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	head := func(seq int64, hash string) wire.Checkpoint {
		k := wire.Checkpoint{Seq: seq, Hash: strings.Repeat(hash, 32), Time: time.Now().UTC(), KeyID: wire.KeyID(a.id.Key.Public().(ed25519.PublicKey))}
		k.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(a.id.Key, wire.CheckpointText(a.id.ServerID, k)))
		return k
	}
	for i, k := range []wire.Checkpoint{head(10, "aa"), head(20, "bb"), head(20, "cc")} {
		r, ch := h.dial(t)
		r.send(wire.Frame{V: 1, Type: wire.TypeAuth}, a.auth(ch, 0))
		if f := r.next(wire.TypeWelcome); f.V != 1 {
			t.Fatalf("welcomed in version %d", f.V)
		}
		r.send(wire.Frame{V: 1, ID: newID(), Type: wire.TypeReceiptCheckpoint, Seq: int64(i + 1)}, k)
		r.acked(int64(i + 1))
		if why := h.held(t, c); (why != "") != (i == 2) {
			t.Fatalf("after checkpoint %d: held %q", i, why)
		}
		must(t, r.ws.Close(websocket.StatusNormalClosure, ""))
	}
	if h.log.count("receipts not compared") != 0 || h.head(a, c).Seq != 20 || len(h.alerts(t, c)) != 1 {
		t.Errorf("head %+v, alerts %q", h.head(a, c), h.alerts(t, c))
	}
	if _, err := h.db.Pool.Exec(t.Context(), "UPDATE checkpoints SET hash = $1", strings.Repeat("ee", 32)); err == nil {
		t.Fatal("an anchor was rewritten")
	}
}

// TestTeam_onHold: while a server is on hold its agents are let do less, and nothing more, until a person has looked.
func TestTeam_onHold(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	h.newAgent(t, c)
	must(t, h.receipts.Store.Hold(t.Context(), anchor.Hold{Server: c.server, Why: "its log went back", At: time.Now()}))
	for i, e := range []team.Edit{team.DefaultLevel(3), team.External("secretary", "message", true)} {
		if _, err := h.teams.Change(t.Context(), c.id, c.origin(), h.signed(t, c, e)); !errors.Is(err, anchor.ErrHeld) {
			t.Errorf("rise %d: %v", i, err)
		}
	}
	cfg, err := h.teams.Change(t.Context(), c.id, c.origin(), team.DefaultLevel(1))
	if err != nil || cfg.DefaultLevel != 1 || cfg.Version != 2 {
		t.Fatalf("less was refused: %+v, %v", cfg, err)
	}
	must(t, h.receipts.Release(t.Context(), c.server, audit.Itself, "its disk was restored"))
	cfg, err = h.teams.Change(t.Context(), c.id, c.origin(), h.signed(t, c, team.DefaultLevel(3)))
	if err != nil || cfg.DefaultLevel != 3 {
		t.Errorf("after the release: %+v, %v", cfg, err)
	}
}
