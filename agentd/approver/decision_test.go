package approver_test

import (
	"context"
	"crypto/elliptic"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/wire"
)

// question is an approval as the gate keeps it.
func (w *world) question(tier string) wire.Approval {
	a := wire.Approval{
		ID: "01900000-0000-7000-8000-0000000000b1", ServerID: serverID, RunID: "r", CallID: "c", Agent: "secretary", Tool: "file_delete",
		ArgsHash: strings.Repeat("a", 64), Tier: tier, PolicyVersion: 3, StagedHash: "-", CreatedAt: w.now(), ExpiresAt: w.now().Add(24 * time.Hour),
	}
	a.Digest = wire.DigestOf(a)
	return a
}

// answer is a decision that somebody signed just now.
func (w *world) answer(s wire.Signer, a wire.Approval, v wire.Verb, change ...func(*wire.Decision)) wire.Decision {
	w.t.Helper()
	d := gatetest.Answer(a, v)
	for _, f := range change {
		f(&d)
	}
	if err := gatetest.SignWith(s, &d, w.now()); err != nil {
		w.t.Fatal(err)
	}
	return d
}

// judge checks a decision in a transaction of its own.
func (w *world) judge(a wire.Approval, d wire.Decision) (out gate.Signed) {
	w.t.Helper()
	w.write(func(tx *sql.Tx) (err error) {
		out, err = w.Decision(context.Background(), tx, a, d, w.now())
		return err
	})
	return out
}

func TestDecision(t *testing.T) {
	t.Parallel()
	w := open(t)
	owner := w.trusted(wire.HolderPerson)
	a := w.question("red")
	for _, d := range []wire.Decision{
		w.answer(owner, a, wire.AllowOnce),
		w.answer(owner, a, wire.AllowWindow, func(d *wire.Decision) { d.Minutes, d.Scope = 15, json.RawMessage(`{"to":"x","a":1}`) }),
		w.answer(owner, a, wire.AllowRule, func(d *wire.Decision) { d.Scope = json.RawMessage(`{"rule":{}}`) }),
		w.answer(owner, a, wire.Edit, func(d *wire.Decision) { d.Args = json.RawMessage(`{"path":"a"}`) }),
	} {
		if s := w.judge(a, d); s.Why != "" || s.Stale != "" || s.Key != owner.KeyID {
			t.Errorf("%s: %+v", d.Verb, s)
		}
		if s := w.judge(a, d); !strings.Contains(s.Why, "used before") {
			t.Errorf("%s again: %+v", d.Verb, s)
		}
	}
}

// TestDecision_spacesDoNotMatter: what is signed is the meaning of edited arguments, not how they are written.
func TestDecision_spacesDoNotMatter(t *testing.T) {
	t.Parallel()
	w := open(t)
	owner := w.trusted(wire.HolderPerson)
	a := w.question("red")
	d := w.answer(owner, a, wire.Edit, func(d *wire.Decision) { d.Args = json.RawMessage(`{"path":"a","n":1}`) })
	d.Args = json.RawMessage("{ \"n\" : 1.0,\n\"path\":\"\\u0061\" }")
	if s := w.judge(a, d); s.Why != "" {
		t.Error(s.Why)
	}
}

// TestDecision_mutated changes one thing about a decision that was signed for something else.
func TestDecision_mutated(t *testing.T) {
	t.Parallel()
	w := open(t)
	owner, staff, stranger := w.trusted(wire.HolderPerson), w.trusted(wire.HolderStaff), signer(t)
	a := w.question("red")
	window := func(d *wire.Decision) { d.Minutes, d.Scope = 15, json.RawMessage(`{"to":"x"}`) }
	edit := func(d *wire.Decision) { d.Args = json.RawMessage(`{"path":"a"}`) }
	for name, tc := range map[string]struct {
		verb   wire.Verb
		before func(*wire.Decision)
		after  func(*wire.Decision)
		by     wire.Signer
	}{
		"no signature":         {wire.AllowOnce, nil, func(d *wire.Decision) { d.Signature = nil }, owner},
		"empty signature":      {wire.AllowOnce, nil, func(d *wire.Decision) { d.Signature = &wire.Signature{} }, owner},
		"stranger":             {wire.AllowOnce, nil, nil, stranger},
		"stranger as owner":    {wire.AllowOnce, nil, func(d *wire.Decision) { d.Signature.KeyID = owner.KeyID }, stranger},
		"other verb":           {wire.AllowOnce, nil, func(d *wire.Decision) { d.Verb = wire.AllowWindow }, owner},
		"other minutes":        {wire.AllowWindow, window, func(d *wire.Decision) { d.Minutes = 16 }, owner},
		"other scope":          {wire.AllowWindow, window, func(d *wire.Decision) { d.Scope = json.RawMessage(`{"to":"y"}`) }, owner},
		"no scope":             {wire.AllowWindow, window, func(d *wire.Decision) { d.Scope = nil }, owner},
		"other args":           {wire.Edit, edit, func(d *wire.Decision) { d.Args = json.RawMessage(`{"path":"b"}`) }, owner},
		"more args":            {wire.Edit, edit, func(d *wire.Decision) { d.Args = json.RawMessage(`{"path":"a","b":1}`) }, owner},
		"args twice":           {wire.Edit, edit, func(d *wire.Decision) { d.Args = json.RawMessage(`{"path":"b","path":"a"}`) }, owner},
		"args where none were": {wire.AllowOnce, nil, edit, owner},
		"other time":           {wire.AllowOnce, nil, func(d *wire.Decision) { d.Signature.Time = d.Signature.Time.Add(time.Second) }, owner},
		"part of a second":     {wire.AllowOnce, nil, func(d *wire.Decision) { d.Signature.Time = d.Signature.Time.Add(time.Millisecond) }, owner},
		"as a passkey":         {wire.AllowOnce, nil, func(d *wire.Decision) { d.Signature.AuthData, d.Signature.ClientData = "AA", "AA" }, owner},
		"padding":              {wire.AllowOnce, nil, func(d *wire.Decision) { d.Signature.Sig += "=" }, owner},
		"the staff's key":      {wire.AllowOnce, nil, nil, staff},
		"staff by the owner's": {wire.AllowOnce, func(d *wire.Decision) { d.By.Role = "staff" }, nil, owner},
	} {
		d := w.answer(tc.by, a, tc.verb, func(d *wire.Decision) {
			if tc.before != nil {
				tc.before(d)
			}
		})
		if tc.after != nil {
			tc.after(&d)
		}
		if s := w.judge(a, d); s.Why == "" {
			t.Errorf("%s: it counted", name)
		}
	}
}

// TestDecision_member: a key that the owner enrolled for a member allows one call as it was asked, whatever the hub says who
// decided, and nothing beyond it.
func TestDecision_member(t *testing.T) {
	t.Parallel()
	w := open(t)
	owner, member := w.trusted(wire.HolderPerson), w.trusted(wire.HolderMember)
	a := w.question("red")
	for verb, counts := range map[wire.Verb]bool{wire.AllowOnce: true, wire.Edit: false, wire.AllowWindow: false, wire.AllowRule: false} {
		for _, role := range []string{"member", "owner"} {
			d := w.answer(member, a, verb, func(d *wire.Decision) {
				d.By.Role = role
				switch verb {
				case wire.AllowWindow:
					d.Minutes = 15
				case wire.AllowRule:
					d.Scope = json.RawMessage(`{"rule":"x"}`)
				case wire.Edit:
					d.Args = json.RawMessage(`{"path":"a"}`)
				}
			})
			if s := w.judge(a, d); (s.Why == "") != counts {
				t.Errorf("%s by a member as %s: counts %v, want %v: %s", verb, role, s.Why == "", counts, s.Why)
			}
			w.move(time.Second) // so that the next one is another signature
		}
	}
	for name, d := range map[string]wire.Decision{
		"a member by an owner's key": w.answer(owner, a, wire.AllowOnce, func(d *wire.Decision) { d.By.Role = "member" }),
		"staff by a member's key":    w.answer(member, a, wire.AllowOnce, func(d *wire.Decision) { d.By.Role = "staff" }),
	} {
		if s := w.judge(a, d); s.Why == "" {
			t.Errorf("%s: it counted", name)
		}
	}
}

// TestDecision_staff: a key that the owner enrolled for staff allows one call as it was asked, and nothing beyond it: what
// they may put in another's place they could write themselves.
func TestDecision_staff(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.trusted(wire.HolderPerson)
	staff := w.trusted(wire.HolderStaff)
	a := w.question("red")
	for verb, counts := range map[wire.Verb]bool{wire.AllowOnce: true, wire.Edit: false, wire.AllowWindow: false, wire.AllowRule: false} {
		d := w.answer(staff, a, verb, func(d *wire.Decision) {
			d.By.Role = "staff"
			switch verb {
			case wire.AllowWindow:
				d.Minutes = 15
			case wire.AllowRule:
				d.Scope = json.RawMessage(`{"rule":"x"}`)
			case wire.Edit:
				d.Args = json.RawMessage(`{"path":"a"}`)
			}
		})
		if s := w.judge(a, d); (s.Why == "") != counts {
			t.Errorf("%s by staff: counts %v, want %v: %s", verb, s.Why == "", counts, s.Why)
		}
	}
}

// TestDecision_eachByte flips each byte of each part that a signature is made of or covers.
func TestDecision_eachByte(t *testing.T) {
	t.Parallel()
	w := open(t)
	owner := w.trusted(wire.HolderPerson)
	a := w.question("red")
	good := w.answer(owner, a, wire.AllowOnce)
	sig, err := base64.RawURLEncoding.DecodeString(good.Signature.Sig)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sig {
		d, s, b := good, *good.Signature, append([]byte{}, sig...)
		b[i] ^= 1
		s.Sig = base64.RawURLEncoding.EncodeToString(b)
		d.Signature = &s
		if w.judge(a, d).Why == "" {
			t.Fatalf("byte %d of the signature does not matter", i)
		}
	}
	for i := range a.Digest {
		other := a
		b := []byte(a.Digest)
		b[i] ^= 1
		other.Digest = string(b)
		if w.judge(other, good).Why == "" {
			t.Fatalf("byte %d of the digest does not matter", i)
		}
	}
	if s := w.judge(a, good); s.Why != "" {
		t.Fatalf("the good one: %s", s.Why)
	}
}

// TestDecision_bentSignature: of each signature there is a second form. It is no second leave.
func TestDecision_bentSignature(t *testing.T) {
	t.Parallel()
	w := open(t)
	owner := w.trusted(wire.HolderPerson)
	a := w.question("red")
	d := w.answer(owner, a, wire.AllowOnce)
	if s := w.judge(a, d); s.Why != "" {
		t.Fatal(s.Why)
	}
	sig, _ := base64.RawURLEncoding.DecodeString(d.Signature.Sig)
	n := elliptic.P256().Params().N
	new(big.Int).Sub(n, new(big.Int).SetBytes(sig[32:])).FillBytes(sig[32:])
	d.Signature.Sig = base64.RawURLEncoding.EncodeToString(sig)
	if s := w.judge(a, d); !strings.Contains(s.Why, "used before") {
		t.Errorf("the bent form: %+v", s)
	}
}

func TestDecision_times(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		tier         string
		signed, came time.Duration // after the question
		why, stale   bool
	}{
		"at once":                        {"red", 0, 0, false, false},
		"a browser behind":               {"red", -4 * time.Minute, 0, false, false},
		"before the question":            {"red", -6 * time.Minute, 0, true, false},
		"a browser ahead":                {"red", 4 * time.Minute, 0, false, false},
		"from the future":                {"red", 6 * time.Minute, 0, true, false},
		"the server was away":            {"red", time.Minute, 23 * time.Hour, false, false},
		"signed too late":                {"red", 24 * time.Hour, 24 * time.Hour, true, false},
		"critical, at once":              {"critical_red", time.Minute, 5 * time.Minute, false, false},
		"critical, the server was away":  {"critical_red", time.Minute, 7 * time.Minute, false, true},
		"critical, a stranger's is none": {"critical_red", -6 * time.Minute, time.Hour, true, false},
	} {
		w := open(t)
		owner := w.trusted(wire.HolderPerson)
		a := w.question(tc.tier)
		w.move(tc.signed)
		d := w.answer(owner, a, wire.AllowOnce)
		w.move(tc.came - tc.signed)
		if s := w.judge(a, d); (s.Why != "") != tc.why || (s.Stale != "") != tc.stale {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestDecision_revokedKey(t *testing.T) {
	t.Parallel()
	w := open(t)
	one, two := w.trusted(wire.HolderPerson), w.trusted(wire.HolderPerson)
	r := wire.Revocation{KeyID: two.KeyID, Version: 3, Signature: w.signChange(one, wire.ChangeRevoke, wire.RevokeBody{KeyID: two.KeyID}, 3)}
	if _, err := w.Revoke(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	a := w.question("red")
	if s := w.judge(a, w.answer(two, a, wire.AllowOnce)); !strings.Contains(s.Why, "may not approve") {
		t.Errorf("%+v", s)
	}
	again := enrolment(two)
	again.Version, again.Signature = 3, w.signChange(one, wire.ChangeEnrol, wire.EnrolBody{Holder: again.Holder, Kind: again.Kind, Label: again.Label, SPKI: again.SPKI}, 3)
	if _, err := w.Enrol(t.Context(), again); err == nil {
		t.Error("a revoked key came back")
	}
}
