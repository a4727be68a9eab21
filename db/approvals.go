package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
)

// Approvals keeps what servers ask people. It is approval.Store.
type Approvals struct{ DB *DB }

var _ approval.Store = (*Approvals)(nil)

// approvalColumns are what an item is made of, contents last.
const approvalColumns = `a.id::text, a.customer_id::text, a.server_id::text, a.code, a.session_id, a.root_run_id, a.run_id, a.call_id,
	a.agent, a.tool, a.action, a.args_hash, a.tier, a.policy_version, a.staged_hash, a.digest, a.windows, a.created_at, a.expires_at,
	a.state, a.execution, a.next_id, a.verb, a.minutes, a.decided_by, a.refused`

// bareColumns are what names an approval and where it stands, and no more: the page that people look at most reads
// little else.
const bareColumns = `a.id::text, a.customer_id::text, a.agent, a.tier, a.digest, a.created_at, a.expires_at, a.state, a.refused`

const approvalContents = `, coalesce(a.summary, ''), a.args::text, a.facts::text, coalesce(a.reason, ''), coalesce(a.why_asked, ''), a.diff::text, a.context::text`

// approvalRow mirrors a row of table approvals and never leaves this package.
type approvalRow struct {
	item              approval.Item
	args, facts, diff *string
	context           *string
	decidedBy         []byte
}

// targets are where the columns go.
func (r *approvalRow) targets() []any {
	a := &r.item
	return []any{
		&a.ID, (*string)(&a.CustomerID), &a.ServerID, &a.Code, &a.SessionID, &a.RootRunID, &a.RunID, &a.CallID,
		&a.Agent, &a.Tool, &a.Action, &a.ArgsHash, &a.Tier, &a.PolicyVersion, &a.StagedHash, &a.Digest, &a.Windows, &a.CreatedAt, &a.ExpiresAt,
		(*string)(&a.State), (*string)(&a.Execution), &a.Next, (*string)(&a.Verb), &a.Minutes, &r.decidedBy, &a.Refused,
	}
}

// bare are where bareColumns go.
func (r *approvalRow) bare() []any {
	a := &r.item
	return []any{&a.ID, (*string)(&a.CustomerID), &a.Agent, &a.Tier, &a.Digest, &a.CreatedAt, &a.ExpiresAt, (*string)(&a.State), &a.Refused}
}

// contents are where the columns of what is asked go.
func (r *approvalRow) contents() []any {
	return []any{&r.item.Summary, &r.args, &r.facts, &r.item.Reason, &r.item.WhyAsked, &r.diff, &r.context}
}

// read turns the row into an item.
func (r *approvalRow) read() (approval.Item, error) {
	if r.args != nil {
		r.item.Args = json.RawMessage(*r.args)
	}
	for _, part := range []struct {
		text *string
		to   any
	}{{r.facts, &r.item.Facts}, {r.diff, &r.item.Diff}} {
		if part.text == nil {
			continue
		}
		if err := json.Unmarshal([]byte(*part.text), part.to); err != nil {
			return approval.Item{}, fmt.Errorf("read approval: %w", err)
		}
	}
	if err := r.readContext(); err != nil {
		return approval.Item{}, err
	}
	if r.decidedBy == nil {
		return r.item, nil
	}
	if err := json.Unmarshal(r.decidedBy, &r.item.DecidedBy); err != nil {
		return approval.Item{}, fmt.Errorf("read approval: %w", err)
	}
	return r.item, nil
}

// approvalContext is what stands behind a question, as the table keeps it.
type approvalContext struct {
	RulesVersion int64              `json:"rules_version,omitempty"`
	Taint        []wire.TaintSource `json:"taint,omitempty"`
	Guardian     *wire.Judgement    `json:"guardian,omitempty"`
	Destination  string             `json:"destination,omitempty"`
	Rule         *wire.RuleProposal `json:"rule,omitempty"`
	ShownHash    string             `json:"shown_hash,omitempty"`
	Vouched      *wire.Vouched      `json:"vouched,omitempty"`
}

func (r *approvalRow) readContext() error {
	if r.context == nil {
		return nil
	}
	var c approvalContext
	if err := json.Unmarshal([]byte(*r.context), &c); err != nil {
		return fmt.Errorf("read approval: %w", err)
	}
	a := &r.item
	a.RulesVersion, a.Taint, a.Guardian, a.Destination, a.Rule, a.ShownHash = c.RulesVersion, c.Taint, c.Guardian, c.Destination, c.Rule, c.ShownHash
	a.Vouched = c.Vouched
	return nil
}

// Add keeps a new approval; false when one with this id is there already.
func (s *Approvals) Add(ctx context.Context, a approval.Item) (bool, error) {
	facts, diff, behind, err := parts(a)
	if err != nil {
		return false, err
	}
	windows := a.Windows
	if windows == nil {
		windows = []int{}
	}
	tag, err := s.DB.pgx(ctx).Exec(ctx, `INSERT INTO approvals (id, customer_id, server_id, code, session_id, root_run_id, run_id, call_id,
			agent, tool, action, args_hash, tier, policy_version, staged_hash, digest, windows, created_at, expires_at,
			summary, args, facts, reason, why_asked, diff, context, state, execution)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, 'pending', 'none')
		ON CONFLICT (id) DO NOTHING`, cached,
		a.ID, string(a.CustomerID), a.ServerID, a.Code, a.SessionID, a.RootRunID, a.RunID, a.CallID,
		a.Agent, a.Tool, a.Action, a.ArgsHash, a.Tier, a.PolicyVersion, a.StagedHash, a.Digest, windows, a.CreatedAt, a.ExpiresAt,
		text(a.Summary), string(a.Args), facts, text(a.Reason), text(a.WhyAsked), diff, behind)
	if err != nil {
		return false, fmt.Errorf("store approval: %w", toFault(err))
	}
	return tag.RowsAffected() == 1, nil
}

// text is what a server says as Postgres can keep it: a zero byte shows as the sign for what cannot be shown.
func text(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// parts are the contents that are kept as JSON, in columns that take it as it is written.
func parts(a approval.Item) (facts, diff, behind string, err error) {
	f, err1 := json.Marshal(a.Facts)
	d, err2 := json.Marshal(a.Diff)
	b, err3 := json.Marshal(approvalContext{a.RulesVersion, a.Taint, a.Guardian, a.Destination, a.Rule, a.ShownHash, a.Vouched})
	if err := errors.Join(err1, err2, err3); err != nil {
		return "", "", "", fmt.Errorf("store approval: %w", err)
	}
	return string(f), string(d), string(b), nil
}

// nullJSON is raw, or NULL where there is none.
func nullJSON(raw json.RawMessage) *string {
	if len(raw) == 0 {
		return nil
	}
	s := string(raw)
	return &s
}

// Get finds an approval of the customer.
func (s *Approvals) Get(ctx context.Context, of account.CustomerID, id string) (approval.Item, error) {
	return s.one(ctx, s.DB.pgx(ctx), "WHERE a.customer_id = $1 AND a.id = $2", string(of), id)
}

func (s *Approvals) one(ctx context.Context, q querier, where string, args ...any) (approval.Item, error) {
	var r approvalRow
	row := q.QueryRow(ctx, "SELECT "+approvalColumns+approvalContents+" FROM approvals a "+where, append([]any{cached}, args...)...)
	if err := row.Scan(append(r.targets(), r.contents()...)...); err != nil {
		return approval.Item{}, fmt.Errorf("load approval: %w", toFault(err))
	}
	return r.read()
}

// Change locks an approval of the customer, runs fn on it and saves what it did: all or nothing.
func (s *Approvals) Change(ctx context.Context, of account.CustomerID, id string, fn func(context.Context, *approval.Item) error) (approval.Item, error) {
	return s.change(ctx, fn, "WHERE a.customer_id = $1 AND a.id = $2 FOR UPDATE", string(of), id)
}

// ChangeAny is Change whoever the approval belongs to.
func (s *Approvals) ChangeAny(ctx context.Context, id string, fn func(context.Context, *approval.Item) error) (approval.Item, error) {
	return s.change(ctx, fn, "WHERE a.id = $1 FOR UPDATE", id)
}

func (s *Approvals) change(ctx context.Context, fn func(context.Context, *approval.Item) error, where string, args ...any) (a approval.Item, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if a, err = s.one(ctx, tx.PGX, where, args...); err != nil {
			return err
		}
		if err := fn(ctx, &a); err != nil {
			return err
		}
		return save(ctx, tx.PGX, a)
	})
	return a, err
}

// save writes what can change. Contents stay as they are while the approval is pending and go with the decision, whatever
// the caller holds; they come back only with a question that is open again.
func save(ctx context.Context, tx pgx.Tx, a approval.Item) error {
	var by []byte
	var at *time.Time
	if a.DecidedBy != nil {
		raw, err := json.Marshal(a.DecidedBy)
		if err != nil {
			return fmt.Errorf("save approval: %w", err)
		}
		by, at = raw, &a.DecidedBy.Time
	}
	facts, diff, behind, err := parts(a)
	if err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, `UPDATE approvals SET state = $2, execution = $3, next_id = $4, verb = $5, minutes = $6, decided_by = $7, decided_at = $8,
		refused = $9,
		summary = CASE WHEN $2 = 'pending' THEN coalesce(summary, $10) END, args = CASE WHEN $2 = 'pending' THEN coalesce(args, $11::json) END,
		facts = CASE WHEN $2 = 'pending' THEN coalesce(facts, $12::json) END, reason = CASE WHEN $2 = 'pending' THEN coalesce(reason, $13) END,
		why_asked = CASE WHEN $2 = 'pending' THEN coalesce(why_asked, $14) END, diff = CASE WHEN $2 = 'pending' THEN coalesce(diff, $15::json) END,
		context = CASE WHEN $2 = 'pending' THEN coalesce(context, $16::json) END
		WHERE id = $1`, cached,
		a.ID, string(a.State), string(a.Execution), a.Next, string(a.Verb), a.Minutes, by, at, text(a.Refused), text(a.Summary), nullJSON(a.Args), facts, text(a.Reason), text(a.WhyAsked), diff, behind)
	if err != nil {
		return fmt.Errorf("save approval: %w", toFault(err))
	}
	if tag.RowsAffected() != 1 {
		return errors.New("save approval: the row is gone")
	}
	return nil
}
