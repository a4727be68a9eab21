package db

import (
	"cmp"
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

// approvalRow mirrors table approvals. A query that reads fewer columns leaves the other fields empty.
type approvalRow struct {
	ID            string             `db:"id"`
	CustomerID    account.CustomerID `db:"customer_id"`
	CustomerName  string             `db:"customer_name"` // staffSelect only
	ShownHash     string             `db:"shown_hash"`    // staffSelect only: that of Context
	ServerID      string             `db:"server_id"`
	Code          string             `db:"code"`
	SessionID     string             `db:"session_id"`
	RootRunID     string             `db:"root_run_id"`
	RunID         string             `db:"run_id"`
	CallID        string             `db:"call_id"`
	Agent         string             `db:"agent"`
	Tool          string             `db:"tool"`
	Action        string             `db:"action"`
	ArgsHash      string             `db:"args_hash"`
	Tier          string             `db:"tier"`
	PolicyVersion int64              `db:"policy_version"`
	StagedHash    string             `db:"staged_hash"`
	Digest        string             `db:"digest"`
	Windows       []int              `db:"windows"`
	CreatedAt     time.Time          `db:"created_at"`
	ExpiresAt     time.Time          `db:"expires_at"`

	// What is asked, gone when it is decided. JSON is kept as it was written.
	Summary  *string `db:"summary"`
	Args     *string `db:"args"`
	Facts    *string `db:"facts"`
	Reason   *string `db:"reason"`
	WhyAsked *string `db:"why_asked"`
	Diff     *string `db:"diff"`
	Context  *string `db:"context"` // approvalContext

	State     wire.ApprovalState `db:"state"`
	Execution wire.Execution     `db:"execution"`
	NextID    string             `db:"next_id"`
	Verb      wire.Verb          `db:"verb"`
	Minutes   int                `db:"minutes"`
	DecidedBy []byte             `db:"decided_by"`
	DecidedAt *time.Time         `db:"decided_at"`
	Refused   string             `db:"refused"`
}

// askedColumns are set when a question is asked, and never again.
const askedColumns = `id, customer_id, server_id, code, session_id, root_run_id, run_id, call_id, agent, tool, action, args_hash,
	tier, policy_version, staged_hash, digest, windows, created_at, expires_at, summary, args, facts, reason, why_asked, diff, context`

// approvalColumns are what an item is made of, except what is asked.
const approvalColumns = `a.id::text, a.customer_id::text, a.server_id::text, a.code, a.session_id, a.root_run_id, a.run_id, a.call_id,
	a.agent, a.tool, a.action, a.args_hash, a.tier, a.policy_version, a.staged_hash, a.digest, a.windows, a.created_at, a.expires_at,
	a.state, a.execution, a.next_id, a.verb, a.minutes, a.decided_by, a.refused`

// approvalContents are the columns of what is asked.
const approvalContents = `, a.summary, a.args::text, a.facts::text, a.reason, a.why_asked, a.diff::text, a.context::text`

// bareColumns are what names an approval and where it stands: the page that people look at most reads little else.
const bareColumns = `a.id::text, a.customer_id::text, a.agent, a.tier, a.digest, a.created_at, a.expires_at, a.state, a.refused`

// staffSelect leaves out what is asked, except for facts, of which staff see the numbers, and the hash that is part of
// what people sign.
const staffSelect = "SELECT " + approvalColumns + `, a.facts::text, c.name AS customer_name,
	coalesce(a.context->>'shown_hash', '') AS shown_hash
	FROM approvals a JOIN customers c ON c.id = a.customer_id`

func toApprovalRow(a approval.Item) (*approvalRow, error) {
	r := &approvalRow{
		ID: a.ID, CustomerID: a.CustomerID, ServerID: a.ServerID, Code: a.Code, SessionID: a.SessionID, RootRunID: a.RootRunID,
		RunID: a.RunID, CallID: a.CallID, Agent: a.Agent, Tool: a.Tool, Action: a.Action, ArgsHash: a.ArgsHash, Tier: a.Tier,
		PolicyVersion: a.PolicyVersion, StagedHash: a.StagedHash, Digest: a.Digest, Windows: a.Windows, CreatedAt: a.CreatedAt,
		ExpiresAt: a.ExpiresAt, Summary: text(a.Summary), Reason: text(a.Reason), WhyAsked: text(a.WhyAsked),
		State: a.State, Execution: a.Execution, NextID: a.Next, Verb: a.Verb, Minutes: a.Minutes, Refused: *text(a.Refused),
	}
	if r.Windows == nil {
		r.Windows = []int{}
	}
	if len(a.Args) > 0 {
		args := string(a.Args)
		r.Args = &args
	}
	behind := approvalContext{a.RulesVersion, a.Taint, a.Guardian, a.Destination, a.Rule, a.ShownHash, a.Vouched, a.Locales, a.Typed}
	err := errors.Join(written(a.Facts, &r.Facts), written(a.Diff, &r.Diff), written(behind, &r.Context))
	if a.DecidedBy != nil {
		var by error
		r.DecidedBy, by = json.Marshal(a.DecidedBy)
		r.DecidedAt, err = &a.DecidedBy.Time, errors.Join(err, by)
	}
	return r, err
}

// text is what a server says as Postgres can keep it: a zero byte shows as the sign for what cannot be shown.
func text(s string) *string {
	s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	return &s
}

// written writes v as JSON.
func written(v any, to **string) error {
	raw, err := json.Marshal(v)
	s := string(raw)
	*to = &s
	return err
}

func (r approvalRow) item() (approval.Item, error) {
	a := approval.Item{CustomerID: r.CustomerID, Customer: r.CustomerName, Verb: r.Verb, Minutes: r.Minutes, Refused: r.Refused}
	a.Approval = wire.Approval{
		ID: r.ID, ServerID: r.ServerID, Code: r.Code, SessionID: r.SessionID, RootRunID: r.RootRunID, RunID: r.RunID, CallID: r.CallID,
		Agent: r.Agent, Tool: r.Tool, Action: r.Action, ArgsHash: r.ArgsHash, Tier: r.Tier, PolicyVersion: r.PolicyVersion,
		StagedHash: r.StagedHash, Digest: r.Digest, Windows: r.Windows, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt,
		Summary: orEmpty(r.Summary), Reason: orEmpty(r.Reason), WhyAsked: orEmpty(r.WhyAsked),
		State: r.State, Execution: r.Execution, Next: r.NextID,
	}
	if r.Args != nil {
		a.Args = json.RawMessage(*r.Args)
	}
	var c approvalContext
	err := errors.Join(read(r.Facts, &a.Facts), read(r.Diff, &a.Diff), read(r.Context, &c))
	if r.DecidedBy != nil {
		err = errors.Join(err, json.Unmarshal(r.DecidedBy, &a.DecidedBy))
	}
	if err != nil {
		return approval.Item{}, fmt.Errorf("read approval: %w", err)
	}
	a.RulesVersion, a.Taint, a.Guardian, a.Destination = c.RulesVersion, c.Taint, c.Guardian, c.Destination
	a.Rule, a.ShownHash, a.Vouched, a.Locales = c.Rule, cmp.Or(c.ShownHash, r.ShownHash), c.Vouched, c.Locales
	a.Typed = c.Typed
	return a, nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// read reads JSON, if there is any.
func read(text *string, to any) error {
	if text == nil {
		return nil
	}
	return json.Unmarshal([]byte(*text), to)
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
	Locales      wire.Locals        `json:"locales,omitempty"`
	Typed        json.RawMessage    `json:"typed,omitempty"`
}

// scanApproval reads whichever columns were selected.
func scanApproval(row pgx.CollectableRow) (approval.Item, error) {
	r, err := pgx.RowToStructByNameLax[approvalRow](row)
	if err != nil {
		return approval.Item{}, err
	}
	return r.item()
}

// scanForStaff is scanApproval with the numbers of the facts alone.
func scanForStaff(row pgx.CollectableRow) (approval.Item, error) {
	a, err := scanApproval(row)
	a.Facts = numbers(a.Facts)
	return a, err
}
