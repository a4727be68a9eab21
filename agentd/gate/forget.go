package gate

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// maxForgotten is how many bytes a field of long arguments may have that stays when its conversation is deleted.
const maxForgotten = 256

// Open counts the calls of a conversation that have not ended, those that wait for a person among them. Only inside a Write
// of the store.
func (g *Gate) Open(ctx context.Context, tx *sql.Tx, session string) (n int, err error) {
	const open = "SELECT count(*) FROM gate_calls WHERE session_id = ? AND state IN ('asked', 'started')"
	if err = tx.QueryRowContext(context.WithoutCancel(ctx), open, session).Scan(&n); err != nil {
		return 0, fmt.Errorf("count open calls: %w", err)
	}
	return n, nil
}

// Forget takes out of the records what was said in the calls and requests of a conversation that is being deleted, inside
// the Write that marks it as deleted, and deletes the outputs that were kept whole. What limits count by stays.
func (g *Gate) Forget(ctx context.Context, tx *sql.Tx, session string) error {
	t := g.inTx(ctx, tx)
	records, err := recordsWhere(t.ctx, tx, "session_id = ?", session)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(records))
	for _, r := range records {
		names = append(names, outputName(r.Call.ID))
		r.forget()
		if err := r.upsert(t); err != nil {
			return err
		}
	}
	asked, err := approvalsWhere(t.ctx, tx, "call_id IN (SELECT id FROM gate_calls WHERE session_id = ?)", session)
	if err != nil {
		return err
	}
	for _, a := range asked {
		a.forget()
		if err := a.upsert(t); err != nil {
			return err
		}
	}
	return g.outputs.Remove(names)
}

// forget leaves of a call what limits and rules count by.
func (r *callRecord) forget() {
	r.Call.Args, r.Call.Reason = forgottenArgs(r.Call.Args), ""
	r.Class.Says, r.Class.Why = "", ""
	r.Facts, r.Frozen, r.Staged, r.Brought = forgottenFacts(r.Facts), nil, nil, nil
	r.Text, r.Result = "", tool.Result{}
	if r.Call.Origin.Stranger() { // who they were is theirs to have forgotten
		r.Call.Args, r.Call.Taint, r.Class.Outside = json.RawMessage("{}"), nil, nil
		r.Call.Origin.Address, r.Call.Origin.Email = "", ""
	}
	if r.Judged != nil {
		r.Judged.Reason = ""
	}
}

// forgottenArgs are arguments without texts that no rule compares. Short ones stay as they are, and so they stand in the
// receipts too.
func forgottenArgs(args json.RawMessage) json.RawMessage {
	if len(args) <= maxReceiptText {
		return args
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return json.RawMessage("{}")
	}
	for name, v := range fields {
		if len(v) > maxForgotten {
			delete(fields, name)
		}
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return json.RawMessage("{}")
	}
	return out
}

func forgottenFacts(all []tool.Fact) []tool.Fact {
	for i := range all {
		all[i].Text = ""
	}
	return all
}

// forget leaves of an approval who decided, when and how.
func (a *approval) forget() {
	a.Args, a.Edited, a.Typed = json.RawMessage("{}"), nil, nil
	a.Summary, a.Reason, a.WhyAsked, a.DenyReason, a.Destination = "", "", "", "", ""
	a.Facts, a.Diff, a.Taint, a.Guardian, a.Rule, a.Vouched, a.Locales = nil, nil, nil, nil, nil, nil, nil
}

// forgotten reports whether the conversation of an approval was deleted.
func (g *Gate) forgotten(ctx context.Context, a *wire.Approval) (bool, error) {
	var n int
	err := g.db.Read().QueryRowContext(ctx, "SELECT count(*) FROM deleted_sessions WHERE id = ?", a.SessionID).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("read deleted conversations: %w", err)
	}
	return n > 0, nil
}
