package gate

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// errUsed says that an approval was used, or is no longer allowed.
var errUsed = errors.New("the approval does not allow this call anymore")

// recordStart records the intent. Only when it is durable may the tool run; when it cannot be kept, nothing runs. a is the
// approval that is spent on the call, nil when none was needed.
func (p *pipeline) recordStart(ctx context.Context, d decision, a *approval) error {
	r := p.newRecord(stateStarted)
	r.StartedAt = p.clock.now()
	failpoint.Hit("starting")
	begun := start{id: p.call.ID, what: r.budgetUse(), looked: a != nil}
	err := p.write(ctx, func(t txn) error {
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
		if err := t.saveRecord(r); err != nil {
			return err
		}
		return p.tallies.claim(p.rootRun(), begun, d.budgets)
	})
	p.tallies.settle(p.rootRun(), p.call.ID, err == nil)
	if err != nil {
		return err
	}
	p.record, p.receipts = r, nil
	failpoint.Hit("started")
	return nil
}

// startReceipts is every receipt that must be durable before the tool runs.
func (p *pipeline) startReceipts(d decision, a *approval, leased []receipt.Entry) []receipt.Entry {
	all := append([]receipt.Entry{}, p.receipts...)
	if a == nil {
		all = append(all, p.newReceipt("call.allowed", map[string]any{"why": d.Why, "policy_version": d.version, "rules_version": d.rules}))
	}
	return append(append(all, leased...), p.startedReceipt(d, a))
}

// useApproval uses up an approval: once, and only while it stands as allowed, its time has not run out and its key counts.
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
	counts, err := t.keyIsValid(t.ctx, t.tx, now.Key)
	if err != nil {
		return err
	}
	if !counts || !t.clock.now().Before(now.ExpiresAt) {
		return errStale // it is asked again
	}
	now.Execution = wire.ExecRunning
	return t.updateApproval(now, "")
}
