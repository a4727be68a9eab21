package gate

import (
	"context"
	"database/sql"
	"strings"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// pairedPrefix is how the name of a paired identity begins where that of a key stands otherwise.
const pairedPrefix = "paired:"

// Paired says whether the owner's identity on a channel, which decided something, is paired still, as tx sees it; without tx, as it
// was last committed.
type Paired = func(ctx context.Context, tx *sql.Tx, identity string) (bool, error)

// ApplyPaired carries out a decision of the owner by a channel, on which their identity was paired with the signature of one of their
// keys. The caller vouches that the decision is that identity's; the gate judges everything else as if it came by the portal, inside
// the Write that tx belongs to. No one but the portal decides what destroys or weakens, and windows, rules and edits are decided there
// as well. why is the reason why nothing was decided, in words that follow "because"; empty: it was.
func (g *Gate) ApplyPaired(ctx context.Context, tx *sql.Tx, d wire.Decision, identity string) (why string, err error) {
	t := g.inTx(ctx, tx)
	if err := g.clock.keep(t.ctx, tx, g.clock.now()); err != nil {
		return "", err
	}
	a, err := loadApproval(t.ctx, tx, d.ApprovalID)
	if err != nil {
		return "", err
	}
	if a == nil {
		return "this server does not know the request", t.refuseUnknown(d)
	}
	failed, err := g.db.Attempt(tx, func() (err error) {
		why, err = t.applyPaired(a, d, identity)
		return err
	})
	if err == nil && failed != nil {
		return "it could not be carried out", t.withdrawUnanswerable(d, failed)
	}
	return why, err
}

func (t txn) applyPaired(a *approval, d wire.Decision, identity string) (why string, err error) {
	if a.State == wire.ApprovalPending && !t.clock.now().Before(a.ExpiresAt) {
		if err := t.expireApproval(a.ID); err != nil {
			return "", err
		}
		a.State = wire.ApprovalExpired
		return "it had expired", t.refuseDecision(a, d, "it had expired")
	}
	why = t.checkDecision(a, d)
	switch {
	case why != "":
	case !policy.InChannel(policy.Tier(a.Tier)):
		why = "requests of this kind are decided in the portal alone"
	case d.Verb != wire.AllowOnce && d.Verb != wire.Deny:
		why = "by a channel it can only be allowed once, or denied"
	}
	if why == "" && d.Verb == wire.AllowOnce {
		paired, err := t.keyIsValid(t.ctx, t.tx, pairedPrefix+identity)
		if err != nil {
			return "", err
		}
		if !paired {
			why = "this is no identity of the owner"
		}
	}
	if why != "" {
		return why, t.refuseDecision(a, d, why)
	}
	t.signature = &Signed{Key: pairedPrefix + identity, Kind: wire.PairedKey, Holder: wire.HolderPerson, Time: t.clock.now()}
	return "", t.applyVerb(a, d)
}

// pairedOf is the identity that stands in the place of a key, if one does.
func pairedOf(key string) (identity string, is bool) { return strings.CutPrefix(key, pairedPrefix) }
