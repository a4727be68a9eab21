package gate

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/gate/limit"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// errUsed says that an approval was used, or is no longer allowed.
var errUsed = errors.New("the approval does not allow this call anymore")

// recordStart records the intent. The tool may run only when it is durable; if it cannot be kept, nothing runs. a is the
// approval that the call uses up, nil when none was needed.
func (p *pipeline) recordStart(ctx context.Context, d decision, a *approval) error {
	r := p.newRecord(stateStarted)
	r.StartedAt = p.clock.now()
	failpoint.Hit("starting")
	root := p.call.budgetRoot()
	s := limit.Start{ID: p.call.ID, Spent: budgetUse(r.Class, r.Facts), Looked: a != nil}
	err := p.write(ctx, func(t txn) error {
		if err := t.saveStart(p, d, a, r); err != nil {
			return err
		}
		if !p.trees.Claim(root, s, d.budgets) {
			return errStale
		}
		return nil
	})
	p.trees.Settle(root, p.call.ID, err == nil)
	if err != nil {
		return err
	}
	p.record, p.receipts = r, nil
	failpoint.Hit("started")
	return nil
}

// saveStart writes everything that must be durable before the tool runs.
func (t txn) saveStart(p *pipeline, d decision, a *approval, r *callRecord) error {
	if err := t.checkFresh(d); err != nil {
		return err
	}
	if err := t.useApproval(a); err != nil {
		return err
	}
	leased, err := p.grantLeases(t)
	if err != nil {
		return err
	}
	if err := t.appendReceipts(p.startReceipts(d, a, leased)); err != nil {
		return err
	}
	return t.saveRecord(r)
}

// startReceipts are all receipts that must be durable before the tool runs.
func (p *pipeline) startReceipts(d decision, a *approval, leased []receipt.Entry) []receipt.Entry {
	all := append([]receipt.Entry{}, p.receipts...)
	if a == nil {
		all = append(all, p.newReceipt("call.allowed", map[string]any{"why": d.Why, "policy_version": d.version, "rules_version": d.rules}))
	}
	return append(append(all, leased...), p.startedReceipt(d, a))
}

// useApproval uses up an approval: once, and only while it is allowed, its time has not run out and its key is valid.
func (t txn) useApproval(a *approval) error {
	if a == nil {
		return nil
	}
	now, err := loadApproval(t.ctx, t.tx, a.ID)
	if err != nil {
		return err
	}
	if now == nil || now.State != wire.ApprovalAllowed || now.Execution != wire.ExecQueued {
		return fmt.Errorf("approval %s: %w", a.ID, errUsed)
	}
	valid, err := t.keyIsValid(t.ctx, t.tx, now.Key)
	if err != nil {
		return err
	}
	if !valid || !t.clock.now().Before(now.ExpiresAt) {
		return errStale // it is asked again
	}
	now.Execution = wire.ExecRunning
	return t.updateApproval(now, "")
}
