package files

import (
	"context"
	"crypto/ecdh"
	"database/sql"
	"path"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Store keeps what becomes durable together: the use of a signature, receipts and marks; store.DB is one.
type Store interface{ taint.Store }

// Receipts is the log of this server; receipt.Log is one.
type Receipts interface {
	Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error)
}

// Approvers checks what people sign; approver.Keys is one.
type Approvers interface {
	// Change checks the signature of a change of power and uses it up in tx. It says whose key it was. Its errors that
	// a person may read are *wire.RPCError.
	Change(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, s *wire.Signature) (by string, err error)
}

// Writes are the writes of agents that can be taken back; filewrite.Tool has them.
type Writes interface {
	TakeBack(id, callID string) (rel string, err error)
}

// Calls knows who made a call.
type Calls interface {
	// Maker names the agent of a call and its root run; empty when there is none on record.
	Maker(ctx context.Context, callID string) (agent, run string, err error)
}

// Keys opens what browsers have sealed; vault.Vault does.
type Keys interface {
	BoxKey(ctx context.Context) (*ecdh.PrivateKey, time.Time, error)
}

var errUnsigned = &wire.RPCError{
	Code: "signature_required", Text: "This needs the signature of a device that may approve. Nothing was changed.",
}

// allow checks the signature of an act, uses it up and puts on record that the act begins: before anything is changed.
func (f *Files) allow(ctx context.Context, a wire.FileAct, s *wire.Signature, by wire.DecidedBy) error {
	if s == nil {
		return errUnsigned
	}
	return f.d.DB.Write(ctx, func(tx *sql.Tx) error {
		key, err := f.d.Signed.Change(context.WithoutCancel(ctx), tx, wire.ChangeFile, a, s)
		if err != nil {
			return err
		}
		return f.note(tx, "file.allowed", map[string]any{"act": a, "by": by, "key_id": key})
	})
}

func (f *Files) note(tx *sql.Tx, kind string, body any) error {
	_, err := f.d.Receipts.Append(tx, receipt.Entry{Type: kind, Body: body})
	return err
}

// did puts on record what came of an act, with what else becomes true by it.
func (f *Files) did(ctx context.Context, a wire.FileAct, more map[string]any, also func(tx *sql.Tx) error) error {
	body := map[string]any{"id": a.ID, "do": a.Do, "path": a.Path}
	for k, v := range more {
		body[k] = v
	}
	return f.d.DB.Write(context.WithoutCancel(ctx), func(tx *sql.Tx) error {
		if also != nil {
			if err := also(tx); err != nil {
				return err
			}
		}
		return f.note(tx, "file.done", body)
	})
}

// failed puts on record that an act was not carried out, and gives why.
func (f *Files) failed(ctx context.Context, a wire.FileAct, why error) error {
	err := f.d.DB.Write(context.WithoutCancel(ctx), func(tx *sql.Tx) error {
		return f.note(tx, "file.failed", map[string]any{"id": a.ID, "do": a.Do, "path": a.Path, "why": why.Error()})
	})
	if err != nil {
		f.d.Log.ErrorContext(ctx, "failed act is not on record", "act", a.ID, "error", err)
	}
	return why
}

// target is a path that may be written: beneath the data folder, with a name that means nothing else.
func (f *Files) target(name string) (string, error) {
	if c := policy.FileWrite(name, 0, f.d.Root.Env()); c.Tier == policy.Forbidden {
		return "", tool.Refuse("%s cannot be used as a name here. %s", path.Base(name), c.Why)
	}
	return f.d.Root.Name(name)
}

// present is the version of what is at a path; empty when nothing is.
func (f *Files) present(rel string) string {
	info, err := f.d.Root.Lstat(rel)
	if err != nil {
		return ""
	}
	return versionOf(info)
}

// as refuses an act on something else than the person saw.
func (f *Files) as(rel, before string) error {
	switch now := f.present(rel); {
	case now == before:
		return nil
	case before == "":
		return tool.Refuse("There is a %s here already. Nothing was changed.", path.Base(rel))
	case now == "":
		return tool.Refuse("%s is not here any more. Nothing was changed.", path.Base(rel))
	}
	return tool.Refuse("%s was changed meanwhile. Nothing was done; look at it as it is now, then do it again.", path.Base(rel))
}
