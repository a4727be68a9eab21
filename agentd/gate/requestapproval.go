package gate

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// maxPending is how many approvals of one agent may wait at once.
const maxPending = 20

// requestApproval is the first half of stage 7: the approval is durable, and on its way to the hub, before anyone waits for
// it.
func (p *pipeline) requestApproval(ctx context.Context, d decision) (string, error) {
	a, err := p.newApproval(d)
	if err != nil {
		return "", err
	}
	r := p.newRecord(stateAsked)
	r.Approval = a.ID
	err = p.write(ctx, func(t txn) error {
		if err := t.checkFresh(d); err != nil {
			return err
		}
		if err := t.checkPendingLimit(a.Agent); err != nil {
			return err
		}
		return t.saveRequest(p, r, a)
	})
	if err != nil {
		return "", err
	}
	p.record, p.receipts = r, nil
	failpoint.Hit("asked")
	return a.ID, nil
}

// saveRequest writes the approval, its call and its receipts.
func (t txn) saveRequest(p *pipeline, r *callRecord, a *approval) error {
	if err := t.checkDuplicate(a); err != nil {
		return err
	}
	if err := t.assignCode(a); err != nil {
		return err
	}
	if err := t.appendReceipts(append(p.receipts, p.askedReceipt(a))); err != nil {
		return err
	}
	if err := t.clock.keep(t.ctx, t.tx, a.CreatedAt); err != nil {
		return err
	}
	if err := t.saveRecord(r); err != nil {
		return err
	}
	if err := t.sendApproval(a); err != nil || t.deps.Asked == nil {
		return err
	}
	return t.deps.Asked(t.tx, a.Approval, p.call.Origin)
}

// checkPendingLimit refuses one pending approval too many of an agent.
func (t txn) checkPendingLimit(agent string) error {
	var n int
	err := t.tx.QueryRowContext(t.ctx, "SELECT count(*) FROM gate_approvals WHERE agent = ? AND state = 'pending'", agent).Scan(&n)
	if err != nil {
		return fmt.Errorf("count approvals: %w", err)
	}
	if n >= maxPending {
		return &refusal{
			"approval", fmt.Sprintf("%d requests of this agent wait already", n),
			fmt.Sprintf("%d of your requests already wait for a person. Ask again when some are answered.", n),
		}
	}
	return nil
}

// checkDuplicate refuses a request that is pending already.
func (t txn) checkDuplicate(a *approval) error {
	var code string
	const same = "SELECT code FROM gate_approvals WHERE agent = ? AND tool = ? AND args_hash = ? AND state = 'pending'"
	err := t.tx.QueryRowContext(t.ctx, same, a.Agent, a.Tool, a.ArgsHash).Scan(&code)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("find approval: %w", err)
	}
	return &refusal{
		"approval", "the same request waits already as " + code,
		"The same request already waits for a person, as " + code + ". It was not asked twice.",
	}
}

// assignCode gives the approval a code that no other pending one has.
func (t txn) assignCode(a *approval) error {
	for {
		a.Code = newCode()
		var taken int
		const same = "SELECT count(*) FROM gate_approvals WHERE code = ? AND state = 'pending'"
		if err := t.tx.QueryRowContext(t.ctx, same, a.Code).Scan(&taken); err != nil {
			return fmt.Errorf("find code: %w", err)
		}
		if taken == 0 {
			return nil
		}
	}
}

// newApproval makes the approval of this call as it stands now. Of one that may ask nobody there is none.
func (p *pipeline) newApproval(d decision) (*approval, error) {
	if p.call.NeverAsk {
		return nil, &refusal{
			"approval", "it may ask nobody: " + d.Why,
			"The rules of this server want a person to be asked about this call: " + d.Why + ". It may ask nobody, so nothing was done.",
		}
	}
	server := p.deps.ServerID()
	if server == "" {
		return nil, ErrNotRegistered
	}
	now := p.clock.now()
	a := &approval{Approval: wire.Approval{
		ServerID: server, SessionID: p.call.SessionID, RootRunID: p.call.RootRunID, RunID: p.call.RunID,
		CallID: p.call.ID, Agent: p.call.Agent, Tool: p.call.Tool, Action: p.class.Action, Args: p.call.Args, ArgsHash: p.argsHash,
		Tier: string(p.class.Tier), PolicyVersion: d.version, StagedHash: "-", Summary: p.class.Says, Facts: p.wireFacts(),
		Reason: clip(p.call.Reason, 2000), WhyAsked: d.Why, Windows: p.windowLengths(),
		RulesVersion: d.rules, Taint: p.wireTaint(), Guardian: p.judgement, Destination: policy.SameFor(p.class, p.call.Args, p.deps.Root),
	}}
	if p.staged != nil {
		a.StagedHash = p.staged.Hash
		a.Diff = &wire.Diff{Path: p.staged.Path, Unified: p.staged.Unified, New: p.staged.New, Added: p.staged.Added, Removed: p.staged.Removed}
	}
	if err := a.maskArgs(); err != nil {
		return nil, err
	}
	if err := a.renew(now, p.approvalLife(a.Tier)); err != nil {
		return nil, err
	}
	a.Rule = p.proposeRule(a.ID)
	return a, a.checkSize()
}

// maxApprovalSize is how large an approval may be: a frame must also hold the server's signature and what is added when it is
// asked again.
const maxApprovalSize = wire.MaxBody - 37<<10

// checkSize refuses an approval that could not be asked again.
func (a *approval) checkSize() error {
	raw, err := json.Marshal(a.Approval)
	if err != nil {
		return fmt.Errorf("measure approval: %w", err)
	}
	if len(raw) > maxApprovalSize {
		return tooLargeRefusal()
	}
	return nil
}

// whyTooLarge says why an approval is not asked for, or not asked for again.
const whyTooLarge = "it is too large to be shown to a person"

// tooLargeRefusal refuses an approval that cannot be sent.
func tooLargeRefusal() *refusal {
	return &refusal{"approval", whyTooLarge, "This is too large to be shown to a person, so nobody could allow it. Do it in smaller pieces."}
}

// windowLengths are the windows that a person is offered: none for calls that a window would not cover.
func (p *pipeline) windowLengths() []int {
	gated := p.class.Tier == policy.Red && p.class.Outward() && !p.config().Unlocked(p.call.Agent, p.call.Tool)
	if p.scanEffect != "" || policy.Installs(p.class.Action) || gated {
		return []int{}
	}
	return policy.Windows(p.class.Tier)
}

// approvalLife is how long an approval of a tier waits for its answer under the owner's rules in force.
func (g *Gate) approvalLife(tier string) time.Duration {
	m, _ := g.rules()
	return policy.ExpiryOf(m, policy.Tier(tier))
}

// renew makes a a new approval: with an id and a life of its own, pending, bound by its digest.
func (a *approval) renew(now time.Time, life time.Duration) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("approval id: %w", err)
	}
	a.ID = id.String()
	a.CreatedAt, a.ExpiresAt = now, now.Add(life).Truncate(time.Second)
	a.State, a.Execution = wire.ApprovalPending, wire.ExecNone
	a.Next, a.DecidedBy, a.DenyReason, a.Edited, a.Key = "", nil, "", nil, ""
	a.Digest = wire.DigestOf(a.Approval)
	return nil
}

// newCode makes a code for people to type: 6 characters that are not mistaken for each other, about 29 bits.
func newCode() string {
	const letters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
	var b [6]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails: it ends the program instead
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b[:])
}

func (p *pipeline) wireFacts() []wire.Fact {
	facts := make([]wire.Fact, 0, len(p.facts))
	for _, f := range p.facts {
		facts = append(facts, wire.Fact(f))
	}
	return facts
}

// newRecord is the record of the call as it stands now, in the given state.
func (p *pipeline) newRecord(s wire.ToolState) *callRecord {
	r := &callRecord{
		Call: p.call, AskedHash: p.rawArgsHash, State: s, Class: p.class, ArgsHash: p.argsHash, Facts: p.facts,
		Frozen: p.frozen, Staged: p.staged, CreatedAt: p.clock.now(), Judged: p.judgement,
	}
	if p.record != nil {
		r.Approval, r.CreatedAt, r.StartedAt = p.record.Approval, p.record.CreatedAt, p.record.StartedAt
	}
	return r
}
