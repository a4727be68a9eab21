package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// owns enrols the owner's key on a server: with the code that the operator's command prints, over the link.
func (h *hub) owns(s *server) {
	h.t.Helper()
	out, code := s.tool("approver", "code", "--state", s.state)
	if code != 0 {
		h.t.Fatalf("approver code (%d): %s", code, out)
	}
	key := newSigner(h.t)
	e := wire.Enrolment{SPKI: key.SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "test", By: owner}
	secret, err := wire.CodeKey(strings.Fields(out)[0])
	if err != nil {
		h.t.Fatal(err)
	}
	e.Prove(secret, serverID)
	if r := h.ask(wire.MethodApproverEnrol, e); r.Error != nil {
		h.t.Fatalf("enrol: %v", r.Error)
	}
	h.change(func() { h.owner = key })
}

func newSigner(t *testing.T) wire.Signer {
	t.Helper()
	key, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign puts the owner's signature on a decision.
func (h *hub) sign(d *wire.Decision) {
	h.t.Helper()
	d.Signature = signature(h.t, h.owner, *d)
}

// strangers is the signature of a key that nobody enrolled.
func (h *hub) strangers(d wire.Decision) *wire.Signature {
	h.t.Helper()
	return signature(h.t, newSigner(h.t), d)
}

func signature(t *testing.T, key wire.Signer, d wire.Decision) *wire.Signature {
	t.Helper()
	at, args := time.Now().UTC().Truncate(time.Second), wire.Nothing
	if len(d.Args) > 0 {
		var err error
		if args, err = canonical.Hash(d.Args); err != nil {
			t.Fatal(err)
		}
	}
	s, err := key.Sign(wire.DecisionText(d.Digest, d.Verb, d.Minutes, wire.Nothing, args, at), at)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestApprover_commands: keys are listed; a further code needs one of them.
func TestApprover_commands(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	out, code := s.tool("approver", "list", "--state", s.state)
	if code != 0 || !strings.Contains(out, h.owner.KeyID) {
		t.Errorf("list (%d): %s", code, out)
	}
	if out, code := s.tool("approver", "code", "--state", s.state); code != 1 || !strings.Contains(out, "has an approver key") {
		t.Errorf("a second code (%d): %s", code, out)
	}
	text, err := h.owner.PEM()
	if err != nil {
		t.Fatal(err)
	}
	out, errOut, code := invoke(t, text, "approver", "code", "--state", s.state, "--key", "-")
	if code != 0 || len(strings.TrimSpace(out)) != len("AAAA-BBBB-CCCC") {
		t.Fatalf("a code that the key vouches for (%d): %s%s", code, out, errOut)
	}
	second := newSigner(t)
	e := wire.Enrolment{SPKI: second.SPKI(), Kind: wire.BrowserKey, Holder: wire.HolderPerson, Label: "phone", By: owner}
	secret, err := wire.CodeKey(out)
	if err != nil {
		t.Fatal(err)
	}
	e.Prove(secret, serverID)
	var got wire.Enrolled
	r := h.ask(wire.MethodApproverEnrol, e)
	if r.Error != nil || json.Unmarshal(r.Result, &got) != nil || got.Key.KeyID != second.KeyID {
		t.Errorf("enrol: %v, %s", r.Error, r.Result)
	}
	if err := got.Proven(secret, serverID); err != nil || got.CardKey == "" {
		t.Errorf("the server did not prove that it knows the code: %v, %+v", err, got)
	}
	out, _, code = invoke(t, "", "approver", "recovery", "--state", s.state)
	if code != 0 || len(strings.TrimSpace(out)) != len("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF") {
		t.Errorf("recovery (%d): %s", code, out)
	}
}
