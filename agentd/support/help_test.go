package support_test

import (
	"context"
	"crypto/ecdh"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/container"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/support"
	"gatehouse/agentd/wire"
)

const (
	serverID = "01900000-0000-7000-8000-0000000000a1"
	windowID = "01900000-0000-7000-8000-0000000000b1"
	version  = 3
)

var identity = ed25519.NewKeyFromSeed([]byte("the seed of every test's server."))

// world is a server with an owner's key and two of the staff's, whose clock the test moves.
type world struct {
	t       testing.TB
	methods rpc.Methods
	windows *support.Windows
	keys    *approver.Keys
	db      *store.DB
	log     *receipt.Log

	owner, clerk, other wire.Signer

	mu     sync.Mutex
	at     time.Time
	states []wire.SupportState
	lines  []wire.SupportLine
	read   []wire.Method // what was asked of the server to show
	during func()        // happens while content is read
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	dir := filepath.Join(t.TempDir(), "state")
	storetest.Seed(t, dir)
	var err error
	w.db, err = store.Open(dir, w.now)
	must(t, err)
	t.Cleanup(func() { must(t, w.db.Close()) })
	w.log = receipt.New(w.db, w.now)
	w.keys = approver.New(approver.Deps{
		DB: w.db, Receipts: w.log, Outbox: w, Dir: dir, ServerID: func() string { return serverID },
		Identity: func() ed25519.PrivateKey { return identity }, Origin: func() string { return "https://hub.example" },
		Version: func(*sql.Tx) (int64, error) { return version, nil }, Now: w.now, Log: slog.New(slog.DiscardHandler),
	})
	w.windows = support.New(support.Deps{
		DB: w.db, Receipts: w.log, Outbox: w, Signed: w.keys, Containers: container.New(filepath.Join(dir, "no.sock")),
		ServerID: func() string { return serverID }, Now: w.now, Log: slog.New(slog.DiscardHandler), Ask: w.ask,
	})
	w.methods = w.windows.Methods()
	w.owner, w.clerk, w.other = signer(t), signer(t), signer(t)
	w.trust(w.owner, wire.HolderPerson)
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func signer(t testing.TB) wire.Signer {
	t.Helper()
	s, err := wire.NewSigner()
	must(t, err)
	return s
}

func (w *world) trust(s wire.Signer, h wire.Holder) {
	w.t.Helper()
	must(w.t, w.db.Write(w.t.Context(), func(tx *sql.Tx) error {
		return w.keys.Trust(context.Background(), tx, wire.ApproverKey{
			SPKI: s.SPKI(), Kind: wire.SoftwareKey, Holder: h, Label: "a key", AddedBy: "test", CreatedAt: w.now(),
		})
	}))
}

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
	switch v := body.(type) {
	case wire.SupportState:
		w.states = append(w.states, v)
	case wire.SupportLine:
		w.lines = append(w.lines, v)
	}
	return nil
}

const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"

// ask answers as the parts of the server do, and says at once when content is read that is not on record yet.
func (w *world) ask(_ context.Context, m wire.Method, params json.RawMessage) (any, error) {
	if got, want := w.receipts("support.looked"), len(w.read)+1; got < want {
		w.t.Errorf("%s is read with %d looks on record, want %d", m, got, want)
	}
	w.read = append(w.read, m)
	if w.during != nil {
		w.during()
	}
	if strings.Contains(string(params), "gone.txt") {
		return nil, &wire.RPCError{Code: "not_found", Text: "There is no such file."}
	}
	return map[string]string{"text": "hello, the token is " + secret, "asked": string(params)}, nil
}

// receipts counts those of a type.
func (w *world) receipts(kind string) int {
	w.t.Helper()
	var n int
	must(w.t, w.db.Read().QueryRowContext(w.t.Context(), "SELECT count(*) FROM receipts WHERE type = ?", kind).Scan(&n))
	return n
}

// body is a window of an hour for the clerk, for files and conversations.
func (w *world) body() wire.SupportBody {
	return wire.SupportBody{
		ID: windowID, Purpose: "The shop shows an error.", Hours: 1,
		Staff: []wire.SupportStaff{{Name: "clerk@example.com", Kind: wire.SoftwareKey, SPKI: w.clerk.SPKI()}},
		What:  []wire.SupportKind{wire.SupportFiles, wire.SupportConversations},
	}
}

// opening is a window as somebody signed it.
func (w *world) opening(by wire.Signer, b wire.SupportBody) wire.SupportOpen {
	w.t.Helper()
	raw, err := canonical.Of(b)
	must(w.t, err)
	at := w.now().Truncate(time.Second)
	sig, err := by.Sign(wire.ChangeText(serverID, wire.ChangeSupport, canonical.Sum(raw), version, at), at)
	must(w.t, err)
	return wire.SupportOpen{Body: b, Version: version, Signature: sig, By: wire.DecidedBy{Name: "owner@example.org"}}
}

// call asks the server.
func (w *world) call(m wire.Method, params any) (any, error) {
	w.t.Helper()
	raw, err := json.Marshal(params)
	must(w.t, err)
	return w.methods.Answer(w.t.Context(), m, raw)
}

func (w *world) opened() wire.SupportState {
	w.t.Helper()
	got, err := w.call(wire.MethodSupportOpen, w.opening(w.owner, w.body()))
	must(w.t, err)
	return got.(wire.SupportState)
}

// close closes a window as a frame of the hub does.
func (w *world) close(c wire.SupportClose) error {
	w.t.Helper()
	return w.db.Write(w.t.Context(), func(tx *sql.Tx) error { return w.windows.Close(context.Background(), tx, c) })
}

// looking is a look as a member of staff signed it, with the key that opens the answer.
func (w *world) looking(by wire.Signer, a wire.SupportAsk) (wire.SupportLook, *ecdh.PrivateKey) {
	w.t.Helper()
	own, public, err := wire.NewSecretKey()
	must(w.t, err)
	l := wire.SupportLook{Window: windowID, Ask: a, BoxKey: public}
	w.sign(by, &l)
	return l, own
}

func (w *world) sign(by wire.Signer, l *wire.SupportLook) {
	w.t.Helper()
	at := w.now().Truncate(time.Second)
	text, err := wire.LookText(serverID, *l, at)
	must(w.t, err)
	l.Signature, err = by.Sign(text, at)
	must(w.t, err)
}

// shown opens the answer to a look.
func (w *world) shown(l wire.SupportLook, own *ecdh.PrivateKey) (string, error) {
	w.t.Helper()
	got, err := w.call(wire.MethodSupportLook, l)
	if err != nil {
		return "", err
	}
	text, err := wire.LookText(serverID, l, l.Signature.Time)
	must(w.t, err)
	plain, err := wire.OpenFile(own, wire.LookPurpose(serverID, l.Window, text), got.(wire.Boxed).Box)
	must(w.t, err)
	return string(plain), nil
}

// wantRefused fails unless the server refused with these words.
func wantRefused(t *testing.T, name string, err error, words string) {
	t.Helper()
	var no *wire.RPCError
	if !errors.As(err, &no) || !strings.Contains(no.Text, words) {
		t.Errorf("%s: %v, want a refusal with %q", name, err, words)
	}
}
