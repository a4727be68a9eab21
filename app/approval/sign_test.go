package approval

import (
	"context"
	"crypto/ed25519"
	"errors"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// ring is what a server has reported; all keys of staff are the clerk's.
type ring map[string]wire.Holder

func (r ring) Holder(_ context.Context, _ server.ID, keyID string) (wire.Holder, string, error) {
	if r[keyID] == wire.HolderStaff {
		return wire.HolderStaff, "clerk", nil
	}
	if r[keyID] == wire.HolderMember {
		return wire.HolderMember, "clerk", nil
	}
	return r[keyID], "", nil
}

// Decides: the member "clerk" may, nobody else.
func (ring) Decides(_ context.Context, _ account.CustomerID, userID string) (bool, error) {
	return userID == "clerk", nil
}

// onHold answers for every server.
type onHold struct{ why error }

func (h onHold) MayAllow(context.Context, server.ID) error { return h.why }

func TestService_signed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	key, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	staff, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	member, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{Keys: ring{key.KeyID: wire.HolderPerson, staff.KeyID: wire.HolderStaff, member.KeyID: wire.HolderMember}, Holds: onHold{}}
	at := func(k wire.Signer, at time.Time) *wire.Signature {
		sig, err := k.Sign("anything", at)
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}
	half := at(key, now)
	half.Sig = half.Sig[:8]
	fraction := at(key, now)
	fraction.Time = now.Add(time.Millisecond)
	for name, c := range map[string]struct {
		role string // "staff" is the clerk
		verb wire.Verb
		sig  *wire.Signature
		want error
	}{
		"deny needs none":       {"owner", wire.Deny, nil, nil},
		"signed":                {"owner", wire.AllowOnce, at(key, now), nil},
		"unsigned":              {"owner", wire.AllowOnce, nil, ErrUnsigned},
		"unsigned window":       {"member", wire.AllowWindow, nil, ErrUnsigned},
		"unsigned rule":         {"owner", wire.AllowRule, nil, ErrUnsigned},
		"unsigned edit":         {"owner", wire.Edit, nil, ErrUnsigned},
		"5 minutes ago":         {"owner", wire.AllowOnce, at(key, now.Add(-5*time.Minute)), nil},
		"more than that":        {"owner", wire.AllowOnce, at(key, now.Add(-5*time.Minute-time.Second)), ErrSignedLate},
		"ahead":                 {"owner", wire.AllowOnce, at(key, now.Add(6*time.Minute)), ErrSignedLate},
		"half":                  {"owner", wire.AllowOnce, half, errSignForm},
		"a part of a second":    {"owner", wire.AllowOnce, fraction, errSignForm},
		"staff, unsigned":       {"staff", wire.AllowOnce, nil, ErrStaffAllow},
		"staff, with our key":   {"staff", wire.AllowOnce, at(key, now), ErrStaffAllow},
		"staff, with their own": {"staff", wire.AllowOnce, at(staff, now), nil},
		"staff, with another's": {"staff, not the clerk", wire.AllowOnce, at(staff, now), ErrStaffAllow},
		"member, own key":       {"member", wire.AllowOnce, at(member, now), nil},
		"member, owner's key":   {"member", wire.AllowOnce, at(key, now), ErrNotYourKey},
		"another's member key":  {"another member", wire.AllowOnce, at(member, now), ErrNotYourKey},
		"a window by it":        {"owner", wire.AllowWindow, at(member, now), ErrMemberOnce},
		"us, with staff's key":  {"owner", wire.AllowOnce, at(staff, now), ErrUnsigned},
	} {
		ans := Answer{Verb: c.verb, Signature: c.sig, By: wire.DecidedBy{Role: c.role, UserID: "clerk"}}
		if c.role == "staff, not the clerk" {
			ans.By = wire.DecidedBy{Role: "staff", UserID: "another"}
		}
		if c.role == "another member" {
			ans.By = wire.DecidedBy{Role: "member", UserID: "another"}
		}
		if err := s.signed(t.Context(), &Item{}, ans, now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	stranger, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	err = s.signed(t.Context(), &Item{}, Answer{Verb: wire.AllowOnce, Signature: at(stranger, now), By: wire.DecidedBy{Role: "owner"}}, now)
	if !errors.Is(err, ErrUnknownKey) || fault.Of(err).Code != "signature-unknown-key" {
		t.Errorf("a stranger: %v", err)
	}
	err = s.signed(t.Context(), &Item{}, Answer{Verb: wire.AllowOnce, Signature: at(stranger, now), By: wire.DecidedBy{Role: "staff", UserID: "clerk"}}, now)
	if !errors.Is(err, ErrStaffAllow) {
		t.Errorf("staff with a key that was taken back: %v", err)
	}
	held := errors.New("on hold")
	s.Holds = onHold{held}
	for _, verb := range []wire.Verb{wire.AllowOnce, wire.AllowWindow, wire.AllowRule, wire.Edit} {
		if err := s.signed(t.Context(), &Item{}, Answer{Verb: verb, Signature: at(key, now), By: wire.DecidedBy{Role: "owner"}}, now); !errors.Is(err, held) {
			t.Errorf("%s on a server on hold: %v", verb, err)
		}
	}
	if err := s.signed(t.Context(), &Item{}, Answer{Verb: wire.Deny, By: wire.DecidedBy{Role: "owner"}}, now); err != nil {
		t.Errorf("deny on a server on hold: %v", err)
	}
}

// TestService_members: a member decides one request at a time, and only as long as an owner lets them.
func TestService_members(t *testing.T) {
	t.Parallel()
	s := &Service{Keys: ring{}}
	for name, c := range map[string]struct {
		by   wire.DecidedBy
		want error
	}{
		"who may":               {wire.DecidedBy{Role: "member", UserID: "clerk"}, nil},
		"who may no longer":     {wire.DecidedBy{Role: "member", UserID: "another"}, account.Refused(account.Approve)},
		"an owner is not asked": {wire.DecidedBy{Role: "owner", UserID: "another"}, nil},
	} {
		if err := s.stillMay(t.Context(), "c", Answer{By: c.by}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for verb, want := range map[wire.Verb]error{
		wire.AllowOnce: nil, wire.Deny: nil, wire.AllowWindow: ErrMemberOnce, wire.AllowRule: ErrMemberOnce, wire.Edit: ErrMemberOnce,
	} {
		if err := mayAnswer(Answer{Verb: verb, By: wire.DecidedBy{Role: "member"}}); !errors.Is(err, want) {
			t.Errorf("%s by a member: %v, want %v", verb, err, want)
		}
	}
}

// TestItem_reopen: a yes that the server did not accept was none.
func TestItem_reopen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	q := wire.Approval{
		ID: "a1", ServerID: "s", RunID: "r", Agent: "secretary", Tool: "message", Tier: "red", State: wire.ApprovalPending, Execution: wire.ExecNone, Summary: "s", ExpiresAt: now.Add(time.Hour),
		Taint: []wire.TaintSource{{Source: "mail"}}, Guardian: &wire.Judgement{Verdict: "escalate"}, Destination: "d", Rule: &wire.RuleProposal{Text: "t"},
	}
	q.Digest = wire.DigestOf(q)
	_, server, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	if q.Vouched, err = q.Vouch(server); err != nil {
		t.Fatal(err)
	}
	decided := func() *Item {
		a := &Item{Approval: q}
		if _, err := a.Decide(Answer{Verb: wire.AllowOnce, By: wire.DecidedBy{Role: "owner"}}, now); err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := decided()
	a.Taint, a.Guardian, a.Destination, a.Rule, a.Vouched = nil, nil, "", nil, nil // as the table has it then
	again := q
	if err := a.Apply(wire.ApprovalUpdate{ID: "a1", State: wire.ApprovalPending, Again: &again, Note: "no"}, now); err != nil {
		t.Fatal(err)
	}
	if a.State != wire.ApprovalPending || a.Execution != wire.ExecNone || a.DecidedBy != nil || a.Verb != "" || a.Summary != "s" || a.Refused != "no" || !a.VouchedBy(wire.CardKey(server)) {
		t.Errorf("open again: %+v", a)
	}
	other := q
	other.Tool = "shell"
	forged := other
	forged.Digest = wire.DigestOf(other)
	running, denied := decided(), decided()
	running.Execution, denied.State = wire.ExecRunning, wire.ApprovalDenied
	for name, c := range map[string]struct {
		item  *Item
		again *wire.Approval
	}{
		"without the question": {decided(), nil}, "another question": {decided(), &forged}, "a question that is not its digest": {decided(), &other},
		"one that runs": {running, &again}, "one that was denied": {denied, &again},
	} {
		if err := c.item.Apply(wire.ApprovalUpdate{ID: "a1", State: wire.ApprovalPending, Again: c.again}, now); err == nil {
			t.Errorf("%s: open again", name)
		}
	}
}
