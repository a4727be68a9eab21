package agentd

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/config"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/link"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/wire"
)

const (
	// operatorName is who acts at the command line of the server, in rules and receipts.
	operatorName = "operator"
	// operatorLock is the file that a command holds while it may have calls.
	operatorLock = "operator.lock"
	// operatorStops is how long a command that ends waits for what it has begun.
	operatorStops = 5 * time.Second
)

// OperatorDeps is what an Operator gets from outside.
type OperatorDeps struct {
	DB          *store.DB // its vault must be open, so that redaction knows the values in it
	State, Data string
	Now         func() time.Time
	Log         *slog.Logger
}

// Operator makes calls from the command line, beside an agentd that may be running. They go through a gate of this
// process on the same state: the owner's rules hold for them, and they leave the same receipts.
type Operator struct {
	d    OperatorDeps
	lock io.Closer
	gate *gate.Gate
	root *dataroot.Root
}

// NewOperator opens the gate of a state and a data folder, and ends what a former command left behind. There is one
// Operator of a state at a time.
func NewOperator(ctx context.Context, d OperatorDeps) (*Operator, error) {
	lock, err := store.Hold(d.State, operatorLock)
	if err != nil {
		return nil, fmt.Errorf("another command acts on this server: %w", err)
	}
	o := &Operator{d: d, lock: lock}
	if err := o.open(ctx); err != nil {
		return nil, errors.Join(err, o.release())
	}
	return o, nil
}

func (o *Operator) open(ctx context.Context) (err error) {
	d := o.d
	if o.root, err = dataroot.Open(d.Data, d.State); err != nil {
		return err
	}
	id, err := link.LoadIdentity(d.State)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	server, identity := func() string { return id.ServerID }, func() ed25519.PrivateKey { return id.Key }
	receipts, outbox := receipt.New(d.DB, d.Now), link.NewOutbox(d.DB, d.Now)
	rules, err := config.Open(ctx, d.DB, receipts, outbox, d.Now)
	if err != nil {
		return err
	}
	keys := approver.New(approver.Deps{
		DB: d.DB, Receipts: receipts, Outbox: outbox, Dir: d.State, ServerID: server, Identity: identity, Origin: func() string { return id.Hub },
		Version: func(tx *sql.Tx) (int64, error) { return config.VersionTx(d.DB, tx) }, Now: d.Now, Log: d.Log,
	})
	o.gate, err = gate.New(ctx, gate.Deps{
		DB: d.DB, Receipts: receipts, Rules: rules, Sets: theOperators{}, Outbox: outbox, Signed: keys, ServerID: server, Identity: identity, Now: d.Now, Log: d.Log,
		Results: filepath.Join(d.State, "results"), Root: o.root.Env().Root,
	})
	if err != nil {
		return err
	}
	if err := o.gate.Add(filewrite.NewRestore(filewrite.Beside(o.root))); err != nil {
		return err
	}
	return o.gate.EndLeft(ctx, operators)
}

// operators says whether a call was made at the command line.
func operators(c gate.Call) bool { return c.Agent == operatorName && c.Origin.Channel == operatorName }

// theOperators is the set of tools at the command line.
type theOperators struct{}

// Visible implements gate.Visibility.
func (theOperators) Visible(_ config.State, c gate.Call) (bool, string) {
	return c.Agent == operatorName, "it is for the command line of the server"
}

// ErrAsks says that the rules want the owner to be asked, whom a command does not wait for.
var ErrAsks = errors.New("the rules of this server ask its owner about this; write /restore and the id of the write in a conversation, and it is put before the owner")

// Restore puts back what a write has replaced.
func (o *Operator) Restore(ctx context.Context, in policy.FileRestoreArgs) (gate.Outcome, error) {
	args, err := json.Marshal(in)
	if err != nil {
		return gate.Outcome{}, fmt.Errorf("restore: %w", err)
	}
	var ids [3]string
	for i := range ids {
		u, err := uuid.NewV7()
		if err != nil {
			return gate.Outcome{}, fmt.Errorf("restore: %w", err)
		}
		ids[i] = u.String()
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := gate.Call{
		ID: ids[0], RunID: ids[1], RootRunID: ids[1], SessionID: ids[2], Agent: operatorName, Tool: "file_restore", Args: args,
		Reason: "At the command line of the server", Level: 3, Origin: wire.Origin{Channel: operatorName},
	}
	out, err := o.gate.Do(ctx, c, func(waits bool) {
		if waits {
			stop(ErrAsks) // takes the question back
		}
	})
	switch {
	case errors.Is(context.Cause(ctx), ErrAsks):
		return out, ErrAsks
	case err != nil:
		return out, err
	}
	done := taint.Outcome{State: out.State, Args: out.Args, Result: out.Result}
	return out, taint.PutBack(ctx, o.d.DB, taint.Call{ID: c.ID, Tool: c.Tool, Args: string(c.Args)}, done, o.d.Now())
}

// Close ends the gate. The database stays open.
func (o *Operator) Close() error {
	ctx, stop := context.WithTimeout(context.Background(), operatorStops)
	defer stop()
	o.gate.Close(ctx)
	return o.release()
}

func (o *Operator) release() (err error) {
	if o.root != nil {
		err = o.root.Close()
	}
	return errors.Join(err, o.lock.Close())
}
