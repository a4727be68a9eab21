package support

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"gatehouse/agentd/container"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Approvers checks what the owner signs; approver.Keys is one.
type Approvers interface {
	// Change checks the signature of a change of power and uses it up in tx. It says whose key it was. Its errors that
	// a person may read are *wire.RPCError.
	Change(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, s *wire.Signature) (by string, err error)
	// Revoked says whether a key of that id was enrolled once and was taken back.
	Revoked(ctx context.Context, tx *sql.Tx, keyID string) (bool, error)
}

// Outbox takes frames for the hub in the transaction that makes them true.
type Outbox interface {
	Put(ctx context.Context, tx *sql.Tx, t wire.Type, body any) error
}

// Containers is the container engine of the machine; container.Engine is one.
type Containers interface {
	List(ctx context.Context) ([]container.Container, error)
	Logs(ctx context.Context, which string, lines int) (text []byte, cut bool, err error)
	Inspect(ctx context.Context, which string) (container.Details, error)
}

// Deps are the parts that windows work with.
type Deps struct {
	DB         *store.DB
	Receipts   *receipt.Log
	Outbox     Outbox
	Signed     Approvers
	Containers Containers
	ServerID   func() string
	Now        func() time.Time
	Log        *slog.Logger

	// Ask puts a question to this server, as a page does.
	Ask func(ctx context.Context, m wire.Method, params json.RawMessage) (any, error)
}

// Windows are the support windows of this server.
type Windows struct{ d Deps }

// New gives the windows in d.DB.
func New(d Deps) *Windows { return &Windows{d} }

// Methods answers questions about support windows. Signatures prove what they ask for, never who asks.
func (w *Windows) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "The question cannot be read.", Strict: true}
	return rpc.Methods{
		wire.MethodSupportOpen:  rpc.With(in, w.open),
		wire.MethodSupportLook:  rpc.With(in, w.look),
		wire.MethodSupportLooks: rpc.With(in, w.looks),
	}
}

// sweepEvery is how often it is looked for windows that have run out.
const sweepEvery = time.Minute

// Run puts the end of windows that run out on record, until ctx ends. Whether one is still open, each look asks the clock.
func (w *Windows) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := w.Sweep(ctx); err != nil && ctx.Err() == nil {
			w.d.Log.ErrorContext(ctx, "support windows not looked at", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Sweep ends the windows that have run out.
func (w *Windows) Sweep(ctx context.Context) error {
	return w.d.DB.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		all, err := stillOpen(ctx, tx)
		if err != nil {
			return err
		}
		for _, v := range all {
			if err := w.endIfOver(ctx, tx, &v); err != nil {
				return err
			}
		}
		return nil
	})
}

// refusal is why something was not done, in words for people.
type refusal string

func (r refusal) Error() string { return string(r) }

func (w *Windows) note(tx *sql.Tx, kind string, body map[string]any) error {
	if _, err := w.d.Receipts.Append(tx, receipt.Entry{Type: kind, Body: body}); err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return nil
}
