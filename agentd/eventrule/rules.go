package eventrule

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Start is a run that an event begins.
type Start struct {
	RunID   string
	Session string
	Agent   string
	Title   string // of a conversation that begins with it
	Text    string
	Rule    string          // that begins it
	Level   int             // the run stands no higher
	Taint   []policy.Source // stands behind the run
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

// Deps is what rules stand on.
type Deps struct {
	DB       *store.DB
	Receipts Receipts
	Runs     Runs
	Signed   Approvers
	// Wrap marks a text as content from outside and says which known tricks it holds.
	Wrap     func(source, sender, id, text string) (block string, flagged []string)
	HasAgent func(id string) bool             // also of one that is broken
	Broken   func(id string) bool             // its files cannot be read, so it cannot work
	Paused   func(id string) *wire.AgentPause // the budget that keeps it from working; nil: none does
	Config   func() wire.Config
	Now      func() time.Time
	Log      *slog.Logger
}

// Rules are the rules on events of one server.
type Rules struct{ d Deps }

// New gives the rules in d.DB.
func New(d Deps) *Rules { return &Rules{d} }

// Methods answers questions about rules.
func (r *Rules) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "The question about a rule on events cannot be read.", Optional: true, Strict: true}
	return rpc.Methods{
		wire.MethodEventRulesList:   rpc.With(in, r.list),
		wire.MethodEventRuleGet:     rpc.With(in, r.get),
		wire.MethodEventRuleFirings: rpc.With(in, r.firings),
		wire.MethodEventRuleChange:  rpc.With(in, r.change),
	}
}

const tidyEvery = 12 * time.Hour

// Run drops what is over, until ctx ends.
func (r *Rules) Run(ctx context.Context) error {
	tidy := time.NewTicker(tidyEvery)
	defer tidy.Stop()
	for {
		if err := r.Tidy(ctx); err != nil && ctx.Err() == nil {
			r.d.Log.ErrorContext(ctx, "rules on events not tidied", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tidy.C:
		}
	}
}

// How long what is over is kept.
const (
	keepFirings = 90 * 24 * time.Hour
	keepDeleted = 90 * 24 * time.Hour
)

// Tidy pauses the rules whose agent is gone, and drops what is over for long.
func (r *Rules) Tidy(ctx context.Context) error {
	active, err := r.where(ctx, "state = 'active'")
	if err != nil {
		return err
	}
	return r.write(ctx, func(t txn) error {
		for _, was := range active {
			if err := r.pauseOrphan(t, was.ID); err != nil {
				return err
			}
		}
		now := r.now()
		for _, q := range []struct {
			query string
			than  time.Duration
		}{
			{"DELETE FROM event_firings WHERE at < ?", keepFirings},
			{
				"DELETE FROM event_firings WHERE rule IN (SELECT id FROM event_rules WHERE state = 'deleted' AND updated_at < ?)",
				keepDeleted,
			},
			{"DELETE FROM event_rules WHERE state = 'deleted' AND updated_at < ?", keepDeleted},
		} {
			if _, err := t.exec(q.query, micros(now.Add(-q.than))); err != nil {
				return err
			}
		}
		return nil
	})
}

// pauseOrphan pauses a rule whose agent is gone.
func (r *Rules) pauseOrphan(t txn, id string) error {
	v, err := find(t, id)
	if errors.Is(err, errNone) || err == nil && (v.State != wire.HookActive || r.d.HasAgent(v.Agent)) {
		return nil
	}
	if err != nil {
		return err
	}
	v.State, v.Why, v.Updated = wire.HookPaused, wire.PausedNoAgent, r.now()
	v.Version++
	if err := save(t, v); err != nil {
		return err
	}
	return r.receipt(t, "event.rule_paused", "", map[string]any{"rule": v.ID, "name": v.Name, "agent": v.Agent, "why": v.Why})
}

// now is the time on the clock, as the tables keep it.
func (r *Rules) now() time.Time { return r.d.Now().UTC().Round(0).Truncate(time.Microsecond) }

func badRequest(text string) error { return &wire.RPCError{Code: "bad_request", Text: text} }

func conflict(text string) error { return &wire.RPCError{Code: "conflict", Text: text} }

var errNone = &wire.RPCError{Code: "not_found", Text: "This rule is not on your server. It may have been deleted."}

// txn is a transaction with the one who writes in it.
type txn struct {
	tx *sql.Tx
	db *store.DB
}

// write runs fn in a durable transaction.
func (r *Rules) write(ctx context.Context, fn func(t txn) error) error {
	return r.d.DB.Write(ctx, func(tx *sql.Tx) error { return fn(txn{tx, r.d.DB}) })
}

func (t txn) exec(query string, args ...any) (int64, error) {
	res, err := t.db.Exec(t.tx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("keep rule on events: %w", err)
	}
	return res.RowsAffected()
}

func (r *Rules) receipt(t txn, kind, run string, body map[string]any) error {
	_, err := r.d.Receipts.Append(t.tx, receipt.Entry{Type: kind, RunID: run, Body: body})
	if err != nil {
		return fmt.Errorf("receipt of a rule on events: %w", err)
	}
	return nil
}
