package approver_test

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

const (
	serverID = "01900000-0000-7000-8000-000000000001"
	origin   = "https://hub.example:8443"
)

// world is the keys of one server on a real store. Its outbox only remembers.
type world struct {
	*approver.Keys
	t   testing.TB
	db  *store.DB
	log *receipt.Log
	dir string

	mu      sync.Mutex
	at      time.Time
	version int64
	told    []wire.ApproverState
}

func open(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "state"), at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), version: 3}
	storetest.Seed(t, w.dir)
	var err error
	if w.db, err = store.Open(w.dir, w.now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.db.Close(); err != nil {
			t.Error(err)
		}
	})
	w.log = receipt.New(w.db, w.now)
	w.Keys = approver.New(approver.Deps{
		DB: w.db, Receipts: w.log, Outbox: w, Dir: w.dir, ServerID: func() string { return serverID }, Identity: func() ed25519.PrivateKey { return identity }, Origin: func() string { return origin },
		Version: func(*sql.Tx) (int64, error) { return w.version, nil }, Now: w.now, Log: slog.New(slog.DiscardHandler),
	})
	return w
}

// identity is the key of the server.
var identity = ed25519.NewKeyFromSeed([]byte("the seed of every test's server."))

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *world) move(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

// Put implements the outbox.
func (w *world) Put(_ context.Context, _ *sql.Tx, _ wire.Type, body any) error {
	w.told = append(w.told, body.(wire.ApproverState))
	return nil
}

func signer(t testing.TB) wire.Signer {
	t.Helper()
	s, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// trusted is a key that counts on this server.
func (w *world) trusted(h wire.Holder) wire.Signer {
	w.t.Helper()
	s := signer(w.t)
	w.write(func(tx *sql.Tx) error {
		return w.Trust(context.Background(), tx, wire.ApproverKey{SPKI: s.SPKI(), Kind: wire.SoftwareKey, Holder: h, Label: "a key", AddedBy: "test", CreatedAt: w.now()})
	})
	return s
}

func (w *world) write(fn func(tx *sql.Tx) error) {
	w.t.Helper()
	if err := w.db.Write(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) keys() []wire.ApproverKey {
	w.t.Helper()
	all, err := approver.List(w.t.Context(), w.db.Read())
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// receipts counts the receipts of a type.
func (w *world) receipts(kind string) (n int) {
	w.t.Helper()
	if err := w.db.Read().QueryRowContext(w.t.Context(), "SELECT count(*) FROM receipts WHERE type = ?", kind).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// enrolment is that of a browser for a new key.
func enrolment(s wire.Signer) wire.Enrolment {
	return wire.Enrolment{SPKI: s.SPKI(), Kind: wire.BrowserKey, Holder: wire.HolderPerson, Label: "Laptop", By: wire.DecidedBy{Role: "owner"}}
}

// signChange puts a signature on a change of power.
func (w *world) signChange(s wire.Signer, kind wire.ChangeKind, body any, version int64) *wire.Signature {
	w.t.Helper()
	at := w.now().Truncate(time.Second)
	sig, err := s.Sign(w.changeTextFor(kind, body, version), at)
	if err != nil {
		w.t.Fatal(err)
	}
	return sig
}

// changeText is what is signed now for a change under the version in force.
func (w *world) changeText(kind wire.ChangeKind, body any) string {
	return w.changeTextFor(kind, body, w.version)
}

func (w *world) changeTextFor(kind wire.ChangeKind, body any, version int64) string {
	w.t.Helper()
	raw, err := canonical.Of(body)
	if err != nil {
		w.t.Fatal(err)
	}
	return wire.ChangeText(serverID, kind, canonical.Sum(raw), version, w.now().Truncate(time.Second))
}

// printed makes a code, as the operator does.
func (w *world) printed(by *wire.Signer) string {
	w.t.Helper()
	code, err := approver.MakeCode(w.dir, serverID, w.version, by, w.now())
	if err != nil {
		w.t.Fatal(err)
	}
	if st, err := os.Stat(filepath.Join(w.dir, approver.CodeFile)); err != nil || st.Mode().Perm() != 0o600 {
		w.t.Fatalf("the code lies there for all: %v, %v", st, err)
	}
	return code
}
