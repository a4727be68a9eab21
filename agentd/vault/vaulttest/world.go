package vaulttest

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/config"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// ServerID is the id under which every World is registered.
const ServerID = "01900000-0000-7000-8000-000000000002"

// identity is the key of every World.
var identity = ed25519.NewKeyFromSeed([]byte("the seed of every test's server."))

// World is a vault and a gate on one store.
type World struct {
	T        *testing.T
	Dir      string // the state directory
	DB       *store.DB
	Receipts *receipt.Log
	Config   *config.Live
	Vault    *vault.Vault
	Gate     *gate.Gate

	mu   sync.Mutex
	told []wire.ToolData
	log  strings.Builder
}

// New makes a world; tools are made once the vault is there.
func New(t *testing.T, tools func(w *World) []gate.Tool) *World {
	t.Helper()
	w := &World{T: t, Dir: t.TempDir()}
	w.fail(os.Chmod(w.Dir, 0o700))
	storetest.Seed(t, w.Dir)
	w.Start(tools)
	t.Cleanup(w.Stop)
	return w
}

// Start opens the world; after Stop it is a restart.
func (w *World) Start(tools func(w *World) []gate.Tool) {
	w.T.Helper()
	ctx := context.Background()
	var err error
	w.DB, err = store.Open(w.Dir, time.Now)
	w.fail(err)
	w.Receipts = receipt.New(w.DB, time.Now)
	w.Config, err = config.Open(ctx, w.DB, w.Receipts, w, time.Now)
	w.fail(err)
	w.Vault, err = vault.Open(ctx, w.DB, vault.Keys{Dir: w.Dir}, time.Now)
	w.fail(err)
	w.Gate, err = gate.New(ctx, gate.Deps{
		DB: w.DB, Receipts: w.Receipts, Rules: w.Config, Sets: w, Outbox: w, Leases: w.Vault, Now: time.Now,
		Log: slog.New(slog.NewJSONHandler(w, nil)), ServerID: func() string { return ServerID }, Identity: func() ed25519.PrivateKey { return identity }, Results: filepath.Join(w.Dir, "results"),
	})
	w.fail(err)
	for _, t := range tools(w) {
		w.fail(w.Gate.Add(t))
	}
	w.Gate.Listen(w)
	w.fail(w.Gate.Recover(ctx))
}

// Stop ends the world as SIGTERM would.
func (w *World) Stop() {
	if w.DB == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	w.Gate.Close(ctx)
	w.fail(w.DB.Close())
	w.DB = nil
}

func (w *World) fail(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// Visible implements gate.Visibility.
func (*World) Visible(config.State, gate.Call) (bool, string) { return true, "" }

// Put implements the outbox.
func (*World) Put(context.Context, *sql.Tx, wire.Type, any) error { return nil }

// Write keeps the log.
func (w *World) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(line)
}

// ToolChanged implements gate.Listener.
func (w *World) ToolChanged(_, _ string, d wire.ToolData) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, d)
}

// ApprovalChanged implements gate.Listener.
func (*World) ApprovalChanged(wire.Approval) {}

// Told is what chips were told so far.
func (w *World) Told() []wire.ToolData {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]wire.ToolData{}, w.told...)
}

// Set keeps a value and binds it.
func (w *World) Set(name, value string, to ...wire.SecretBinding) {
	w.T.Helper()
	_, err := w.Vault.Put(w.T.Context(), vault.New{Name: name, Value: secret.New(value), Source: vault.FromOwner, By: "owner"})
	w.fail(err)
	_, err = w.Vault.Bind(w.T.Context(), name, to, "", "owner")
	w.fail(err)
}

// Call makes a call of a tool by one agent, in a run of its own.
func (w *World) Call(tool string, args any) gate.Call {
	w.T.Helper()
	b, err := json.Marshal(args)
	w.fail(err)
	run := w.id()
	return gate.Call{ID: w.id(), RunID: run, RootRunID: run, SessionID: w.id(), Agent: "it-admin", Tool: tool, Args: b, Level: 3}
}

// Do takes a call through the gate, which must not ask anyone.
func (w *World) Do(tool string, args any) (gate.Outcome, gate.Call) {
	w.T.Helper()
	c := w.Call(tool, args)
	ctx, cancel := context.WithCancel(w.T.Context())
	defer cancel()
	o, err := w.Gate.Do(ctx, c, func(waits bool) {
		if waits {
			w.T.Errorf("%s %s: somebody is asked", tool, c.Args)
			cancel()
		}
	})
	w.fail(err)
	return o, c
}

func (w *World) id() string {
	u, err := uuid.NewV7()
	w.fail(err)
	return u.String()
}

// Types lists the types of a run's receipts in order.
func (w *World) Types(c gate.Call) []string {
	w.T.Helper()
	var all []string
	for _, r := range w.Of(c) {
		all = append(all, r.Type)
	}
	return all
}

// Of lists the receipts of a run.
func (w *World) Of(c gate.Call) []wire.Receipt {
	w.T.Helper()
	all, err := w.Receipts.OfRuns(w.T.Context(), c.RunID)
	w.fail(err)
	return all
}

// Leaks says in which file of the state directory, or in the log, one of the words stands.
func (w *World) Leaks(words ...string) (where []string) {
	w.T.Helper()
	w.fail(filepath.WalkDir(w.Dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		where = append(where, in(e.Name(), string(b), words)...)
		return err
	}))
	w.mu.Lock()
	defer w.mu.Unlock()
	return append(where, in("log", w.log.String(), words)...)
}

func in(place, text string, words []string) (where []string) {
	for _, word := range words {
		if strings.Contains(text, word) {
			where = append(where, place)
		}
	}
	return where
}
