package webhook

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/netguard"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Answer is what a run has said.
type Answer struct {
	Text  string
	Taint []policy.Source // stands behind it
}

// Answers reads what runs have said; the daemon does.
type Answers interface {
	// Answer gives what a run that has ended said. Of one that is not there anymore the text is empty.
	Answer(ctx context.Context, run string) (Answer, error)
}

// Receipts is the log; receipt.Log is one.
type Receipts interface {
	Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error)
}

// Approvers checks what people sign; approver.Keys is one.
type Approvers interface {
	// Change checks the signature of a change and uses it up in tx. It says whose key it was. Its errors that a person may
	// read are *wire.RPCError.
	Change(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, s *wire.Signature) (by string, err error)
}

// Keys keeps the secrets of addresses; the daemon's vault does.
type Keys interface {
	// Unseal opens the box that a browser has made for MethodScheduleWebhook and this name.
	Unseal(ctx context.Context, name, nonce string, box wire.SecretBox) (secret.Value, error)
	// Keep stores a value; also runs in the same transaction.
	Keep(ctx context.Context, name string, v secret.Value, by wire.DecidedBy, also func(tx *sql.Tx) error) error
	// Key gives a value that is kept; empty when there is none.
	Key(ctx context.Context, name string) (secret.Value, error)
	// Drop takes a value out of use; also runs in the same transaction. That there is none is no error.
	Drop(ctx context.Context, name string, by wire.DecidedBy, also func(tx *sql.Tx) error) error
}

// Deps is what deliveries stand on.
type Deps struct {
	DB       *store.DB
	Receipts Receipts
	Signed   Approvers
	Keys     Keys
	Answers  Answers
	Gate     gate.Doer
	Dir      string            // the state directory, where LocalFile may stand
	Resolve  netguard.Resolver // of names; netguard.System
	Now      func() time.Time
	Log      *slog.Logger
}

// Webhooks are the addresses of one server and what is on its way to them.
type Webhooks struct {
	d      Deps
	wake   chan struct{}
	signed signed
	fates  fates

	mu     sync.Mutex
	flying map[string]bool // deliveries that are with the gate
}

// New gives the addresses in d.DB. Nothing is sent before Run.
func New(ctx context.Context, d Deps) (*Webhooks, error) {
	w := &Webhooks{
		d: d, wake: make(chan struct{}, 1), signed: signed{of: map[string]string{}}, fates: fates{of: map[string]fate{}},
		flying: map[string]bool{},
	}
	return w, w.loadSigned(ctx)
}

// Wake has it looked at once for what is to be sent.
func (w *Webhooks) Wake() {
	select {
	case w.wake <- struct{}{}:
	default: // it looks already
	}
}

const (
	lookEvery = 15 * time.Second // the clock may be set, and a machine that slept does not notice
	tidyEvery = 12 * time.Hour
)

// Run sends what waits, until ctx ends.
func (w *Webhooks) Run(ctx context.Context) error {
	var sending sync.WaitGroup
	defer sending.Wait()
	var tidied time.Time
	for {
		if now := w.now(); now.Sub(tidied) >= tidyEvery {
			tidied = now
			w.said(ctx, "tidy", w.Tidy(ctx))
		}
		next, err := w.sendDue(ctx, &sending)
		w.said(ctx, "send", err)
		wait := lookEvery
		if !next.IsZero() {
			wait = max(min(wait, next.Sub(w.now())), time.Millisecond)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		case <-w.wake:
		}
		timer.Stop()
	}
}

func (w *Webhooks) said(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, gate.ErrClosing) {
		w.d.Log.ErrorContext(ctx, "results not delivered", "step", what, "error", err)
	}
}

// keepOver is how long a delivery is kept that is not tried anymore.
const keepOver = 400 * 24 * time.Hour

// Tidy drops what is over for long, and secrets whose address is gone.
func (w *Webhooks) Tidy(ctx context.Context) error {
	return errors.Join(w.dropKeys(ctx), w.write(ctx, func(t txn) error {
		return t.exec("DELETE FROM schedule_deliveries WHERE state <> 'waiting' AND created_at < ?", micros(w.now().Add(-keepOver)))
	}))
}

// now is the time on the clock, which may have been set.
func (w *Webhooks) now() time.Time { return w.d.Now().UTC().Round(0).Truncate(time.Microsecond) }

// txn is a transaction with the one who writes in it.
type txn struct {
	tx *sql.Tx
	db *store.DB
}

func (w *Webhooks) in(tx *sql.Tx) txn { return txn{tx, w.d.DB} }

// write runs fn in a durable transaction.
func (w *Webhooks) write(ctx context.Context, fn func(t txn) error) error {
	return w.d.DB.Write(ctx, func(tx *sql.Tx) error { return fn(w.in(tx)) })
}

func (t txn) exec(query string, args ...any) error {
	if _, err := t.db.Exec(t.tx, query, args...); err != nil {
		return fmt.Errorf("keep delivery: %w", err)
	}
	return nil
}

// receipt puts on record what became of an address or a delivery.
func (w *Webhooks) receipt(t txn, kind, runID string, body map[string]any) error {
	if _, err := w.d.Receipts.Append(t.tx, receipt.Entry{Type: kind, RunID: runID, Body: body}); err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return nil
}

// micros is how times stand in the tables: Unix microseconds, 0 for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

func badRequest(text string) error { return &wire.RPCError{Code: "bad_request", Text: text} }

func conflict(text string) error { return &wire.RPCError{Code: "conflict", Text: text} }
