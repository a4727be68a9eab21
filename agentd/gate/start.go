package gate

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// errSpent says that an approval was used, or is no longer allowed.
var errSpent = errors.New("the approval does not allow this call anymore")

// start records the intent. Only when it is durable may the tool run; when it cannot be kept, nothing runs. a is the
// approval that is spent on the call, nil when none was needed.
func (p *pass) start(ctx context.Context, d decision, a *question) error {
	r := p.record(stateStarted)
	r.StartedAt = p.g.clock.now()
	failpoint.Hit("starting")
	begun := start{id: p.c.ID, what: r.spends(), looked: a != nil}
	err := p.g.write(ctx, func(ch change) error {
		if err := ch.fresh(d); err != nil {
			return err
		}
		if err := ch.spend(a); err != nil {
			return err
		}
		leased, err := p.lend(ch)
		if err != nil {
			return err
		}
		if err := ch.receipts(p.intent(d, a, leased)); err != nil {
			return err
		}
		if err := ch.record(r); err != nil {
			return err
		}
		return p.g.tallies.claim(p.root(), begun, d.budgets)
	})
	p.g.tallies.settle(p.root(), p.c.ID, err == nil)
	if err != nil {
		return err
	}
	p.rec, p.notes = r, nil
	failpoint.Hit("started")
	return nil
}

// intent is every receipt that must be durable before the tool runs.
func (p *pass) intent(d decision, a *question, leased []receipt.Entry) []receipt.Entry {
	all := append([]receipt.Entry{}, p.notes...)
	if a == nil {
		all = append(all, p.entry("call.allowed", map[string]any{"why": d.Why, "policy_version": d.version, "rules_version": d.rules}))
	}
	return append(append(all, leased...), p.noteStarted(d, a))
}

// spend uses up an approval: once, and only while it stands as allowed, its time has not run out and its key counts.
func (ch change) spend(a *question) error {
	if a == nil {
		return nil
	}
	now, err := loadQuestion(ch.ctx, ch.tx, a.ID)
	if err != nil {
		return err
	}
	if now == nil || now.State != wire.ApprovalAllowed || now.Execution != wire.ExecQueued {
		return fmt.Errorf("approval %s: %w", a.ID, errSpent)
	}
	counts, err := ch.g.counts(ch.ctx, ch.tx, now.Key)
	if err != nil {
		return err
	}
	if !counts || !ch.g.clock.now().Before(now.ExpiresAt) {
		return errStale // it is asked again
	}
	now.Execution = wire.ExecRunning
	return ch.question(now, "")
}
