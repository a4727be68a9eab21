package hook

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Start is a run that a delivery begins.
type Start struct {
	RunID   string
	Session string
	Agent   string
	Title   string // of a conversation that begins with it
	Text    string
	Level   int             // the run stands no higher
	Taint   []policy.Source // stands behind the run
	Fresh   bool            // it reads nothing of the runs before it
	At      time.Time
}

// Runs begins runs; the daemon does.
type Runs interface {
	// Begin puts a run on record inside tx; it is at work once tx is durable. An error of type *wire.RPCError says that there
	// can be no run in this conversation.
	Begin(tx *sql.Tx, s Start) error
	// Open says how many runs of a conversation have not ended.
	Open(tx *sql.Tx, session string) (int, error)
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

// Keys keeps the keys of senders that sign; the daemon's vault does.
type Keys interface {
	// Unseal opens the box that a browser has made for MethodHookChange and this name.
	Unseal(ctx context.Context, name, nonce string, box wire.SecretBox) (secret.Value, error)
	// Keep keeps a value under a name; also runs in the same transaction.
	Keep(ctx context.Context, name string, v secret.Value, by wire.DecidedBy, also func(tx *sql.Tx) error) error
	// Key gives a value that is kept.
	Key(ctx context.Context, name string) (secret.Value, error)
	// Drop takes a value out of use; also runs in the same transaction. That there is none is no error.
	Drop(ctx context.Context, name string, by wire.DecidedBy, also func(tx *sql.Tx) error) error
}

// Deps is what hooks stand on.
type Deps struct {
	DB       *store.DB
	Receipts Receipts
	Runs     Runs
	Signed   Approvers
	Keys     Keys
	// Wrap marks a text as content from outside and says which known tricks it holds.
	Wrap     func(source, sender, id, text string) (block string, flagged []string)
	HasAgent func(id string) bool             // also of one that is broken
	Broken   func(id string) bool             // its files cannot be read, so it cannot work
	Paused   func(id string) *wire.AgentPause // the budget that keeps it from working; nil: none does
	Config   func() wire.Config
	Now      func() time.Time
	Log      *slog.Logger
}

// Hooks are the hooks of one server.
type Hooks struct {
	d       Deps
	tally   tally
	buckets buckets

	mu   sync.Mutex
	keys map[string]known // by hook
}

// known is a key as it was read from the vault.
type known struct {
	hash  string
	key   secret.Value
	until time.Time
}

// keyLife is how long a key is used that was read from the vault.
const keyLife = time.Minute

// New gives the hooks in d.DB.
func New(d Deps) *Hooks {
	return &Hooks{
		d: d, keys: map[string]known{}, buckets: buckets{of: map[string]*bucket{}},
		tally: tally{rows: map[kind]*counted{}, recorded: map[string]time.Time{}},
	}
}

// Methods answers questions about hooks.
func (h *Hooks) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "The question about a hook cannot be read.", Optional: true, Strict: true}
	return rpc.Methods{
		wire.MethodHooksList:      rpc.With(in, h.list),
		wire.MethodHookGet:        rpc.With(in, h.get),
		wire.MethodHookDeliveries: rpc.With(in, h.deliveries),
		wire.MethodHookChange:     rpc.With(in, h.change),
		wire.MethodHookDeliver:    rpc.With(in, h.Deliver),
	}
}

const (
	flushEvery = time.Second
	tidyEvery  = 12 * time.Hour
)

// Run keeps what was refused on record, and drops what is over, until ctx ends.
func (h *Hooks) Run(ctx context.Context) error {
	flush, tidy := time.NewTicker(flushEvery), time.NewTicker(tidyEvery)
	defer flush.Stop()
	defer tidy.Stop()
	h.said(ctx, "tidy", h.Tidy(ctx))
	for {
		select {
		case <-ctx.Done():
			h.said(ctx, "keep what was refused", h.flush(context.WithoutCancel(ctx)))
			return nil
		case <-flush.C:
			h.said(ctx, "keep what was refused", h.flush(ctx))
		case <-tidy.C:
			h.said(ctx, "tidy", h.Tidy(ctx))
		}
	}
}

func (h *Hooks) said(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		h.d.Log.ErrorContext(ctx, "hooks not looked after", "step", what, "error", err)
	}
}

// How long what is over is kept.
const (
	keepDeliveries = 90 * 24 * time.Hour
	keepNewest     = 5000 // of one hook and verdict: forgeries push nothing out that was taken
	keepDeleted    = 90 * 24 * time.Hour
)

// Tidy drops what is over for long, and the keys of deleted hooks that are still in the vault.
func (h *Hooks) Tidy(ctx context.Context) error {
	return errors.Join(h.dropKeys(ctx), h.dropOld(ctx))
}

func (h *Hooks) dropOld(ctx context.Context) error {
	now := h.now()
	return h.write(ctx, func(t txn) error {
		for _, q := range []struct {
			query string
			arg   any
		}{
			{"DELETE FROM hook_seen WHERE until < ?", micros(now)},
			{"DELETE FROM hook_deliveries WHERE at < ?", micros(now.Add(-keepDeliveries))},
			{`DELETE FROM hook_deliveries WHERE seq IN (SELECT seq FROM (SELECT seq, row_number() OVER (PARTITION BY hook, verdict ORDER
				BY seq DESC) AS n FROM hook_deliveries) WHERE n > ?)`, keepNewest},
			{
				`DELETE FROM hook_seen WHERE hook IN (SELECT id FROM hooks WHERE state = 'deleted' AND updated_at < ?)`,
				micros(now.Add(-keepDeleted)),
			},
			{
				`DELETE FROM hook_deliveries WHERE hook IN (SELECT id FROM hooks WHERE state = 'deleted' AND updated_at < ?)`,
				micros(now.Add(-keepDeleted)),
			},
			{"DELETE FROM hooks WHERE state = 'deleted' AND updated_at < ?", micros(now.Add(-keepDeleted))},
		} {
			if _, err := t.exec(q.query, q.arg); err != nil {
				return err
			}
		}
		return nil
	})
}

// now is the time on the clock, which may have been set.
func (h *Hooks) now() time.Time { return h.d.Now().UTC().Round(0).Truncate(time.Microsecond) }

func badRequest(text string) error { return &wire.RPCError{Code: "bad_request", Text: text} }

func conflict(text string) error { return &wire.RPCError{Code: "conflict", Text: text} }

var errNone = &wire.RPCError{Code: "not_found", Text: "This hook is not on your server. It may have been deleted."}

// txn is a transaction with the one who writes in it.
type txn struct {
	tx *sql.Tx
	db *store.DB
}

// write runs fn in a durable transaction.
func (h *Hooks) write(ctx context.Context, fn func(t txn) error) error {
	return h.d.DB.Write(ctx, func(tx *sql.Tx) error { return fn(txn{tx, h.d.DB}) })
}

func (t txn) exec(query string, args ...any) (int64, error) {
	res, err := t.db.Exec(t.tx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("keep hook: %w", err)
	}
	return res.RowsAffected()
}

// receipt puts on record what became of a hook.
func (h *Hooks) receipt(t txn, what, runID string, body map[string]any) error {
	if _, err := h.d.Receipts.Append(t.tx, receipt.Entry{Type: what, RunID: runID, Body: body}); err != nil {
		return fmt.Errorf("record %s: %w", what, err)
	}
	return nil
}
