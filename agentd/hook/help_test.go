package hook_test

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/hook"
	"gatehouse/agentd/hook/proof"
	"gatehouse/agentd/ingress"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

const serverID = "01975000-0000-7000-8000-000000000001"

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// world is the hooks of a server on a real store, with a real vault, real keys of an owner, and a clock that tests set.
type world struct {
	*hook.Hooks
	db    *store.DB
	vault *vault.Vault
	runs  *runs
	key   wire.Signer

	mu   sync.Mutex
	time time.Time
	cfg  wire.Config
	gone map[string]bool

	broken  map[string]bool
	paused  map[string]*wire.AgentPause
	noVault bool // what is in the vault cannot be taken out of use
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.time
}

// pass sets the clock forward.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.time = w.time.Add(d)
}

// runs keeps what was begun in a table beside those of the hooks, so that it is as durable as they are.
type runs struct {
	refuse map[string]bool // conversations that were deleted
	before func(what string)
	mu     sync.Mutex
	last   hook.Start
}

func (r *runs) Begin(tx *sql.Tx, s hook.Start) error {
	r.before("begin")
	if r.refuse[s.Session] {
		return &wire.RPCError{Code: "not_found", Text: "This conversation was deleted."}
	}
	_, err := tx.ExecContext(context.Background(), "INSERT INTO test_runs (id, session, text, state) VALUES (?,?,?,'running')",
		s.RunID, s.Session, s.Text)
	r.mu.Lock()
	r.last = s
	r.mu.Unlock()
	r.before("begun")
	return err
}

func (r *runs) Open(tx *sql.Tx, session string) (n int, err error) {
	const query = "SELECT count(*) FROM test_runs WHERE session = ? AND state = 'running'"
	err = tx.QueryRowContext(context.Background(), query, session).Scan(&n)
	return n, err
}

// logged is the log, which says before it writes.
type logged struct {
	*receipt.Log
	before func(what string)
}

func (l logged) Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error) {
	l.before("receipt")
	defer l.before("receipted")
	return l.Log.Append(tx, e)
}

// told is an outbox that nobody empties.
type told struct{}

func (told) Put(context.Context, *sql.Tx, wire.Type, any) error { return nil }

// keys keeps keys in a real vault; a box holds its value.
type keys struct {
	v *vault.Vault
	w *world
}

func (k keys) Unseal(_ context.Context, name, nonce string, box wire.SecretBox) (secret.Value, error) {
	if nonce != "nonce of "+name {
		return secret.Value{}, &wire.RPCError{Code: "conflict", Text: "This page is too old."}
	}
	return secret.New(string(box)), nil
}

func (k keys) Keep(ctx context.Context, name string, v secret.Value, by wire.DecidedBy, also func(*sql.Tx) error) error {
	_, err := k.v.Put(ctx, vault.New{Name: name, Kind: vault.KindToken, Value: v, Source: vault.FromOwner, By: by.Name}, also)
	return err
}

func (k keys) Key(ctx context.Context, name string) (secret.Value, error) {
	v, err := k.v.Own(ctx, name, "test")
	if errors.Is(err, vault.ErrUnknown) {
		return secret.Value{}, nil
	}
	return v, err
}

func (k keys) Drop(ctx context.Context, name string, by wire.DecidedBy, also func(*sql.Tx) error) error {
	if k.w.noVault {
		return errors.New("the vault cannot be written")
	}
	if err := k.v.Remove(ctx, name, by.Name, also); !errors.Is(err, vault.ErrUnknown) {
		return err
	}
	return nil
}

// open opens or reopens the hooks in dir. before is called at the points at which a process may die.
func open(dir string, before func(what string)) (*world, error) {
	w := &world{time: noon, gone: map[string]bool{}, broken: map[string]bool{}, cfg: wire.Config{DefaultLevel: 2}}
	state := filepath.Join(dir, "state")
	db, err := store.Open(state, w.now)
	if err != nil {
		return nil, err
	}
	err = db.Write(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), `CREATE TABLE IF NOT EXISTS test_runs (id TEXT PRIMARY KEY, session TEXT, text TEXT,
			state TEXT)`)
		return err
	})
	if err != nil {
		return nil, err
	}
	w.db, w.runs = db, &runs{refuse: map[string]bool{}, before: before}
	if w.vault, err = vault.Open(context.Background(), db, vault.Keys{Dir: state}, w.now); err != nil {
		return nil, err
	}
	log := receipt.New(db, w.now)
	approvers := approver.New(approver.Deps{
		DB: db, Receipts: log, Outbox: told{}, Dir: state, ServerID: func() string { return serverID },
		Identity: func() ed25519.PrivateKey { return ed25519.NewKeyFromSeed([]byte("the seed of every test's server.")) },
		Origin:   func() string { return "https://hub.example" },
		Version:  func(*sql.Tx) (int64, error) { return 3, nil }, Now: w.now, Log: slog.New(slog.DiscardHandler),
	})
	if w.key, err = wire.NewSigner(); err != nil {
		return nil, err
	}
	err = db.Write(context.Background(), func(tx *sql.Tx) error {
		return approvers.Trust(context.Background(), tx, wire.ApproverKey{
			SPKI: w.key.SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "a key", AddedBy: "test", CreatedAt: noon,
		})
	})
	w.Hooks = hook.New(hook.Deps{
		DB: db, Receipts: logged{log, before}, Runs: w.runs, Signed: approvers, Keys: keys{w.vault, w}, Now: w.now,
		Config: func() wire.Config { return w.cfg }, Log: slog.New(slog.DiscardHandler),
		Wrap: func(source, sender, id, text string) (string, []string) {
			b := ingress.Wrap(source, sender, id, text, 0)
			return b.Text, b.Patterns
		},
		HasAgent: func(id string) bool { return !w.gone[id] && (id == "secretary" || id == "it-admin") },
		Broken:   func(id string) bool { return w.broken[id] },
		Paused:   func(id string) *wire.AgentPause { return w.paused[id] },
	})
	return w, err
}

func start(t testing.TB) *world {
	t.Helper()
	return startIn(t, t.TempDir())
}

func startIn(t testing.TB, dir string) *world {
	t.Helper()
	storetest.Seed(t, filepath.Join(dir, "state"))
	w, err := open(dir, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// ask asks as the link does.
func ask[R any](w *world, m wire.Method, params any) (r R, err error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return r, err
	}
	got, err := w.Methods().Answer(context.Background(), m, raw)
	if err != nil {
		return r, err
	}
	r, ok := got.(R)
	if !ok {
		return r, fmt.Errorf("%s answers %T", m, got)
	}
	return r, nil
}

// aSecret is that of every hook here.
const aSecret = "a secret that only the sender knows"

// making is the act that makes a hook.
func making(name string, p wire.HookProof) wire.HookAct {
	return wire.HookAct{
		ID: uuid.Must(uuid.NewV7()).String(), Do: wire.HookDoMake, Name: name, Agent: "secretary", Task: "Look at the order", Proof: p,
		PerMinute: 10, SecretHash: proof.Hash([]byte(aSecret)),
	}
}

// act has the owner sign an act and carries it out.
func (w *world) act(a wire.HookAct) (wire.Hook, error) {
	c := wire.HookChange{Act: a, By: wire.DecidedBy{Role: "owner", Name: "owner@example.com"}}
	raw, err := canonical.Of(a)
	if err != nil {
		return wire.Hook{}, err
	}
	if c.Signature, err = w.key.Sign(wire.ChangeText(serverID, wire.ChangeHook, canonical.Sum(raw), 3, w.now()), w.now()); err != nil {
		return wire.Hook{}, err
	}
	if a.Proof != wire.HookToken && a.SecretHash != "" {
		c.Nonce, c.Box = "nonce of hook."+a.Name, wire.SecretBox(aSecret)
	}
	return ask[wire.Hook](w, wire.MethodHookChange, c)
}

func (w *world) made(t testing.TB, name string, p wire.HookProof) wire.Hook {
	t.Helper()
	h, err := w.act(making(name, p))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// bearer is a delivery with a token.
func bearer(name, token, body string, headers ...string) wire.HookDelivery {
	d := wire.HookDelivery{Name: name, Headers: map[string]string{"authorization": "Bearer " + token}, Body: []byte(body), Size: len(body)}
	for i := 0; i < len(headers); i += 2 {
		d.Headers[headers[i]] = headers[i+1]
	}
	return d
}

// signed is a delivery that its sender has signed at a time.
func signed(name, key, body string, at time.Time) wire.HookDelivery {
	stamp := strconv.FormatInt(at.Unix(), 10)
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(stamp + "." + body))
	return wire.HookDelivery{
		Name: name, Body: []byte(body), Size: len(body),
		Headers: map[string]string{"x-gatehouse-signature": "t=" + stamp + ",v1=" + hex.EncodeToString(m.Sum(nil))},
	}
}

func (w *world) send(t testing.TB, d wire.HookDelivery) wire.HookAnswer {
	t.Helper()
	a, err := w.Deliver(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// came is what the page shows, oldest first: verdict, how many, and why.
func (w *world) came(t testing.TB, id string) (all []string) {
	t.Helper()
	got, err := ask[wire.HookDeliveries](w, wire.MethodHookDeliveries, wire.HookDeliveriesParams{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got.Items {
		all = append([]string{fmt.Sprintf("%s %d %s", r.Verdict, r.Count, r.Reason)}, all...)
	}
	return all
}

// count is how many runs were begun.
func (w *world) count(t testing.TB) (n int) {
	t.Helper()
	if err := w.db.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM test_runs").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
