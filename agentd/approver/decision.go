package approver

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

var _ gate.Verifier = (*Keys)(nil)

// Decision checks the signature on a decision that gives leave, and uses it up in tx. It is gate.Verifier. now is the gate's
// time, which never goes back: after this machine's clock was set right it stays ahead of it, and of the people who sign.
func (k *Keys) Decision(ctx context.Context, tx *sql.Tx, a wire.Approval, d wire.Decision, now time.Time) (gate.Signed, error) {
	text, why := decisionText(a, d)
	if why != "" {
		return gate.Signed{Why: why}, nil
	}
	v, err := k.check(ctx, tx, text, d.Signature)
	if err != nil || v.why != "" {
		return gate.Signed{Why: v.why}, err
	}
	behind := max(now.Sub(k.d.Now()), 0)
	if why := unfit(v.key, a, d, now, behind); why != "" {
		return gate.Signed{Why: why}, nil
	}
	if err := use(ctx, tx, text, v.key.KeyID, now); err != nil {
		return gate.Signed{}, err
	}
	s := gate.Signed{Key: v.key.KeyID, Kind: v.key.Kind, Holder: v.key.Holder, Time: d.Signature.Time}
	if policy.Tier(a.Tier) == policy.CriticalRed && now.Sub(s.Time) > skew+behind {
		s.Stale = "it was signed more than 5 minutes before it arrived, which is too long for something that cannot be undone"
	}
	return s, nil
}

// decisionText is what must have been signed, from the approval that this server asked and the decision that came.
func decisionText(a wire.Approval, d wire.Decision) (text, why string) {
	if d.Signature == nil {
		return "", "no device that may approve has signed it"
	}
	scope, ok1 := hashOrNothing(d.Scope)
	args, ok2 := hashOrNothing(d.Args)
	if !ok1 || !ok2 {
		return "", "its scope or its arguments could be read in two ways"
	}
	return wire.DecisionText(a.Digest, d.Verb, d.Minutes, scope, args, d.Signature.Time), ""
}

// hashOrNothing is the hex SHA-256 of canonical JSON, or wire.Nothing for none at all.
func hashOrNothing(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return wire.Nothing, true
	}
	h, err := canonical.Hash(raw)
	return h, err == nil
}

// unfit says why a good signature does not allow this. behind is how far clocks are behind now.
func unfit(by *key, a wire.Approval, d wire.Decision, now time.Time, behind time.Duration) string {
	at := d.Signature.Time
	switch {
	case at.After(now.Add(skew)):
		return "its signature is from the future: a clock is wrong"
	case at.Before(a.CreatedAt.Add(-skew - behind)):
		return "it was signed before the request was made"
	case !at.Before(a.ExpiresAt):
		return "it was signed after the request had run out of time"
	case d.By.Role == "staff" && by.Holder != wire.HolderStaff:
		return "staff can only deny until the owner lets a device of theirs approve"
	case d.By.Role != "staff" && by.Holder == wire.HolderStaff:
		return "the key that signed it belongs to staff, not to a person of this business"
	case d.By.Role == "member" && by.Holder != wire.HolderMember:
		return "the key that signed it is one of an owner, and a member has decided"
	case by.Holder == wire.HolderMember && d.Verb != wire.AllowOnce:
		return "the key that signed it belongs to a member, who can allow one request at a time, as it was asked, and nothing else"
	case by.Holder != wire.HolderPerson && d.Verb != wire.AllowOnce:
		return "the key that signed it belongs to staff, who can allow one request at a time, as it was asked: no window, rule or other arguments"
	}
	return ""
}
