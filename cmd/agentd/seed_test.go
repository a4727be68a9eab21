package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
)

// leave puts a seed into a state directory, as the installer does.
func leave(t *testing.T, state string, key wire.Signer) {
	t.Helper()
	seed := wire.Seed{SPKI: key.SPKI(), Kind: wire.BrowserKey, Label: "Browser that ordered", Address: "owner@example.com"}
	raw, err := json.Marshal(seed)
	if err == nil {
		err = os.WriteFile(filepath.Join(state, approver.SeedFile), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAgentd_seeded is a server whose owner has ordered with a browser: that browser's key allows at once, the server says
// itself that it is the only one, and a second seed is refused at the next start.
func TestAgentd_seeded(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.owner = newSigner(t)
	s := startWith(t, h, func(s *server) { leave(t, s.state, h.owner) })
	told := wait(h, wire.TypeApproverState, func(wire.ApproverState) bool { return true })
	id, err := link.LoadIdentity(s.state)
	if err != nil {
		t.Fatal(err)
	}
	want, err := wire.VouchKeys(serverID, told.Keys, id.Key)
	if err != nil || len(told.Keys) != 1 || told.Keys[0].KeyID != h.owner.KeyID || told.Vouched == nil || *told.Vouched != *want {
		t.Fatalf("the hub was told %+v, %v", told, err)
	}
	root := h.say("Delete the old temporary files")
	before := temps(t, s)
	a := h.asked(root)
	if !a.VouchedBy(told.Vouched.Key) {
		t.Error("the card is not of the server that vouched for the key")
	}
	h.decide(a, wire.AllowOnce, nil)
	h.ended(root)
	if now := temps(t, s); before == 0 || now >= before {
		t.Errorf("%d of %d files are left after the allow", now, before)
	}
	leave(t, s.state, newSigner(t))
	s.kill()
	s.back()
	again := wait(h, wire.TypeApproverState, func(st wire.ApproverState) bool { return len(st.Keys) != 0 })
	if len(again.Keys) != 1 || again.Keys[0].KeyID != h.owner.KeyID {
		t.Errorf("after a second seed: %+v", again.Keys)
	}
	if _, err := os.Stat(filepath.Join(s.state, approver.SeedFile)); !os.IsNotExist(err) {
		t.Errorf("the second seed lies there: %v", err)
	}
	if !strings.Contains(s.log.String(), "a seed of an approver key was refused") {
		t.Error("the log does not tell of the second seed")
	}
	der, err := base64.RawURLEncoding.DecodeString(h.owner.SPKI())
	if err != nil {
		t.Fatal(err)
	}
	out, code := s.tool("approver", "list", "--state", s.state)
	if code != 0 || !strings.Contains(out, wire.Words(der)) || !strings.Contains(out, wire.Words(id.Key.Public().(ed25519.PublicKey))) {
		t.Errorf("list (%d): %s", code, out)
	}
}
