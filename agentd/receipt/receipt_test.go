package receipt_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

const server = "01900000-0000-7000-8000-000000000001"

type outbox struct {
	mu   sync.Mutex
	sent []wire.Checkpoint
}

func (o *outbox) Put(_ context.Context, _ *sql.Tx, _ wire.Type, body any) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, body.(wire.Checkpoint))
	return nil
}

type world struct {
	*receipt.Log
	db  *store.DB
	dir string
	out *outbox
	pub ed25519.PublicKey
}

func open(t testing.TB, n int) *world {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	storetest.Seed(t, dir)
	db, err := store.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // some tests close it themselves
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{receipt.New(db, time.Now), db, dir, &outbox{}, pub}
	w.Anchor(server, key, w.out, slog.New(slog.DiscardHandler))
	for i := range n {
		w.add(t, receipt.Entry{Type: "call.finished", RunID: []string{"run-a", "run-b"}[i%2], CallID: "c", Tool: "shell", Tier: "green", Body: map[string]any{"n": i, "text": "größer <&> 😀"}})
	}
	return w
}

func (w *world) add(t testing.TB, e receipt.Entry) {
	t.Helper()
	err := w.db.Write(context.Background(), func(tx *sql.Tx) error {
		_, err := w.Append(tx, e)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// all reads the log through the reader of another process.
func (w *world) all(t testing.TB) []wire.Receipt {
	t.Helper()
	all, err := w.OfRuns(context.Background(), "run-a", "run-b")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAppend_chain(t *testing.T) {
	t.Parallel()
	w := open(t, 20)
	prev := strings.Repeat("0", 64)
	for i, r := range w.all(t) {
		if r.Seq != int64(i+1) || r.PrevHash != prev {
			t.Fatalf("record %d: seq %d, prev %s", i, r.Seq, r.PrevHash)
		}
		prev = r.Hash
	}
	if err := w.Check(t.Context()); err != nil {
		t.Error(err)
	}
	wantStranger(t, w.db.Read(), nil, nil, 0)
}

func TestAppend_manyAtOnce(t *testing.T) {
	t.Parallel()
	w := open(t, 0)
	var mu sync.Mutex
	heard := map[int64]bool{}
	w.Subscribe(func(r wire.Receipt) {
		mu.Lock()
		defer mu.Unlock()
		heard[r.Seq] = true
	})
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			_ = w.db.Write(context.Background(), func(tx *sql.Tx) error {
				if _, err := w.Append(tx, receipt.Entry{Type: "call.started", RunID: "run-a"}); err != nil {
					t.Error(err)
				}
				if i%4 == 0 {
					return errors.New("take it back")
				}
				return nil
			})
		})
	}
	all.Wait()
	if len(heard) != 150 || len(w.all(t)) != 150 {
		t.Errorf("%d records, %d heard, want 150", len(w.all(t)), len(heard))
	}
	if err := w.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAppend_refusedBody(t *testing.T) {
	t.Parallel()
	w := open(t, 1)
	err := w.db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := w.Append(tx, receipt.Entry{Type: "x", Body: json.RawMessage(`{"a":1,"a":2}`)})
		return err
	})
	if err == nil || len(w.all(t)) != 1 {
		t.Errorf("a body with a field twice: %v", err)
	}
}

// TestTable_refusesChange goes round the log, straight at the table.
func TestTable_refusesChange(t *testing.T) {
	t.Parallel()
	w := open(t, 3)
	for _, q := range []string{
		"UPDATE receipts SET body = '{}' WHERE seq = 2",
		"DELETE FROM receipts",
		"DELETE FROM receipts WHERE seq = 3",
		"INSERT OR REPLACE INTO receipts SELECT * FROM receipts WHERE seq = 2",
		"REPLACE INTO receipts SELECT seq, time, 'x', run_id, call_id, tool, tier, body, prev_hash, hash FROM receipts",
		"INSERT INTO receipts SELECT seq + 7, time, type, run_id, call_id, tool, tier, body, prev_hash, hash FROM receipts WHERE seq = 3",
		"UPDATE OR REPLACE receipts SET seq = 1 WHERE seq = 2",
		"INSERT INTO receipts SELECT * FROM receipts WHERE seq = 1 ON CONFLICT DO UPDATE SET body = '{}'",
	} {
		err := w.db.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.Exec(q)
			return err
		})
		if err == nil {
			t.Errorf("the table took: %s", q)
		}
	}
	if err := w.Check(t.Context()); err != nil || len(w.all(t)) != 3 {
		t.Error(err)
	}
}

func TestCheckpoint(t *testing.T) {
	t.Parallel()
	w := open(t, 5)
	for range 2 { // the second finds nothing new
		if err := w.Checkpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.out.sent) != 1 || w.out.sent[0].Seq != 5 {
		t.Fatalf("sent %+v", w.out.sent)
	}
	anchors, err := receipt.Anchors(w.dir)
	if err != nil || len(anchors) != 1 {
		t.Fatalf("anchors %+v, %v", anchors, err)
	}
	kept, err := receipt.Checkpoints(t.Context(), w.db.Read())
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	wantStranger(t, w.db.Read(), anchors, w.pub, 0)
	held := func(change func(*wire.Checkpoint)) error {
		c := anchors[0]
		if change(&c); c != anchors[0] {
			wantStranger(t, w.db.Read(), []wire.Checkpoint{c}, w.pub, c.Seq)
		}
		return receipt.Held(t.Context(), w.db.Read(), server, w.pub, []wire.Checkpoint{c})
	}
	if err := held(func(*wire.Checkpoint) {}); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*wire.Checkpoint){
		"later":     func(c *wire.Checkpoint) { c.Seq = 6 },
		"hash":      func(c *wire.Checkpoint) { c.Hash = strings.Repeat("a", 64) },
		"time":      func(c *wire.Checkpoint) { c.Time = c.Time.Add(time.Nanosecond) },
		"signature": func(c *wire.Checkpoint) { c.Signature = strings.Repeat("A", 86) },
	} {
		var broken *receipt.Broken
		if err := held(change); !errors.As(err, &broken) {
			t.Errorf("%s changed: %v", name, err)
		}
	}
}

func TestRun_everyHundredAndAtTheEnd(t *testing.T) {
	t.Parallel()
	w := open(t, 0)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	for range 100 {
		w.add(t, receipt.Entry{Type: "call.started", RunID: "run-a"})
	}
	deadline := time.After(time.Minute)
	for sent := 0; sent == 0; {
		select {
		case <-deadline:
			t.Fatal("no checkpoint after 100 receipts")
		case <-time.After(time.Millisecond):
		}
		w.out.mu.Lock()
		sent = len(w.out.sent)
		w.out.mu.Unlock()
	}
	w.add(t, receipt.Entry{Type: "call.finished", RunID: "run-a"})
	cancel()
	<-done
	if last := w.out.sent[len(w.out.sent)-1]; last.Seq != 101 {
		t.Errorf("last checkpoint covers %d of 101", last.Seq)
	}
}

// BenchmarkAppend is how many receipts a second become durable when 50 calls write at once.
func BenchmarkAppend(b *testing.B) {
	w := open(b, 0)
	b.SetParallelism(25)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			w.add(b, receipt.Entry{Type: "call.started", RunID: "run-a", CallID: "c", Tool: "shell", Tier: "green", Body: map[string]any{"args_hash": strings.Repeat("a", 64)}})
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "receipts_per_s")
}
