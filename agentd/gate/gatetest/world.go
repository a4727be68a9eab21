package gatetest

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/config"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// ServerID is the id under which every World is registered.
const ServerID = "01900000-0000-7000-8000-000000000001"

// Identity is the key of every World.
var Identity = ed25519.NewKeyFromSeed([]byte("the seed of every test's server."))

// Sent is a frame that was handed to the outbox and committed.
type Sent struct {
	Type wire.Type
	Body json.RawMessage
}

// World is a gate with everything it stands on, on a real store. Its outbox only remembers.
type World struct {
	DB     *store.DB
	Log    *receipt.Log
	Config *config.Live
	Gate   *gate.Gate
	Keys   *approver.Keys

	mu   sync.Mutex
	time func() time.Time
	sent []Sent
	Hide map[string]bool // tools that no agent sees

	Looked func() // called after the gate has asked what is visible; may be nil
}

// Open makes or reopens a world in dir with these tools. Reopening one is what a restart of agentd does.
func Open(dir string, now func() time.Time, tools ...gate.Tool) (*World, error) {
	return OpenWith(dir, now, func(*gate.Deps) {}, tools...)
}

// OpenWith is Open with further parts for the gate to stand on.
func OpenWith(dir string, now func() time.Time, with func(*gate.Deps), tools ...gate.Tool) (*World, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	db, err := store.Open(filepath.Join(dir, "state"), now)
	if err != nil {
		return nil, err
	}
	w := &World{DB: db, time: now, Hide: map[string]bool{}}
	if err := w.open(dir, now, with, tools); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return w, nil
}

func (w *World) open(dir string, now func() time.Time, with func(*gate.Deps), tools []gate.Tool) (err error) {
	ctx := context.Background()
	w.Log = receipt.New(w.DB, now)
	if w.Config, err = config.Open(ctx, w.DB, w.Log, w, now); err != nil {
		return err
	}
	w.Keys = approver.New(approver.Deps{
		DB: w.DB, Receipts: w.Log, Outbox: w, Dir: filepath.Join(dir, "state"), Now: now, Log: slog.New(slog.DiscardHandler),
		ServerID: func() string { return ServerID }, Identity: func() ed25519.PrivateKey { return Identity },
		Origin:  func() string { return "https://hub.example" },
		Version: func(tx *sql.Tx) (int64, error) { return config.VersionTx(w.DB, tx) },
	})
	if err := w.trust(now()); err != nil {
		return err
	}
	deps := gate.Deps{
		DB: w.DB, Receipts: w.Log, Rules: w.Config, Sets: w, Outbox: w, Signed: w.Keys, Now: now, Log: slog.New(slog.DiscardHandler),
		ServerID: func() string { return ServerID }, Identity: func() ed25519.PrivateKey { return Identity }, Results: filepath.Join(dir,
			"state", "results"),
	}
	with(&deps)
	w.Gate, err = gate.New(ctx, deps)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if err := w.Gate.Add(t); err != nil {
			return err
		}
	}
	return w.Gate.Recover(ctx)
}

// Close ends the world as SIGTERM would, without waiting for people.
func (w *World) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	w.Gate.Close(ctx)
	return w.DB.Close()
}

// Visible implements gate.Visibility.
func (w *World) Visible(s config.State, c gate.Call) (bool, string) {
	if w.Looked != nil {
		defer w.Looked()
	}
	switch {
	case w.Hide[c.Tool]:
		return false, "it is not in your set"
	case slices.Contains(s.Config().Tools.Denied, c.Tool):
		return false, "the owner has denied it for all agents"
	}
	return true, ""
}

// Put implements the outbox.
func (w *World) Put(_ context.Context, tx *sql.Tx, t wire.Type, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.DB.OnCommit(tx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.sent = append(w.sent, Sent{t, b})
	})
	return nil
}

// Sent lists what was committed to the outbox since Open.
func (w *World) Sent() []Sent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Sent{}, w.sent...)
}

// Decide delivers a decision the way the link does. One that gives leave and carries no signature is signed by the
// owner first.
func (w *World) Decide(d wire.Decision) error {
	if d.Signature == nil && d.Verb != wire.Deny {
		if err := Sign(&d, w.time()); err != nil {
			return err
		}
	}
	return w.Deliver(d)
}

// Deliver hands over a decision as it is.
func (w *World) Deliver(d wire.Decision) error {
	return w.DB.Write(context.Background(), func(tx *sql.Tx) error { return w.Gate.Apply(context.Background(), tx, d) })
}

// Owner is the origin of decisions in tests.
var Owner = wire.DecidedBy{
	UserID: "u1", Name: "owner@example.com", Role: "owner", Channel: "portal", Address: "127.0.0.1",
	Method: "session",
}

// Answer is the owner's decision about a.
func Answer(a wire.Approval, v wire.Verb) wire.Decision {
	return wire.Decision{ApprovalID: a.ID, Digest: a.Digest, Verb: v, By: Owner}
}

// Pending reads the approvals of a run that wait.
func (w *World) Pending(runID string) ([]wire.Approval, error) {
	all, err := w.Gate.OfRuns(context.Background(), []string{runID})
	var open []wire.Approval
	for _, a := range all {
		if a.State == wire.ApprovalPending {
			open = append(open, *a)
		}
	}
	return open, err
}

// Types lists the types of a run's receipts in order.
func (w *World) Types(runID string) ([]string, error) {
	all, err := w.Log.OfRuns(context.Background(), runID)
	types := make([]string, 0, len(all))
	for _, r := range all {
		types = append(types, r.Type)
	}
	return types, err
}
