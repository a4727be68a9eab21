package gate_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/wire"
)

// trusted is one more key that counts in this world.
func (b *bench) trusted(h wire.Holder) wire.Signer {
	b.t.Helper()
	s, err := wire.NewSigner()
	if err != nil {
		b.t.Fatal(err)
	}
	err = b.DB.Write(b.t.Context(), func(tx *sql.Tx) error {
		return b.Keys.Trust(context.Background(), tx, wire.ApproverKey{
			SPKI: s.SPKI(), Kind: wire.SoftwareKey, Holder: h, Label: "another", AddedBy: "test", CreatedAt: b.clock.now(),
		})
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// TestAllow_byStaff: staff allow one request with their key; the receipt says whose it was, and why they decided.
func TestAllow_byStaff(t *testing.T) {
	t.Parallel()
	b := open(t)
	staff := b.trusted(wire.HolderStaff)
	b.configure(wire.Config{Version: 1, DefaultLevel: 1})
	c := b.call("act", "yellow", "")
	c.Level = 1
	f, a := b.ask(c)
	once := gatetest.Answer(a, wire.AllowOnce)
	once.By.Role, once.By.Channel, once.Reason = "staff", "admin", "Asked by telephone"
	if err := gatetest.SignWith(staff, &once, b.clock.now()); err != nil {
		t.Fatal(err)
	}
	b.decide(once)
	b.wantState(f.end(t), wire.ToolDone)
	body := b.body(c.RunID, "call.approved")
	signed, _ := body["signature"].(map[string]any)
	if body["reason"] != "Asked by telephone" || signed["key_id"] != staff.KeyID || signed["holder"] != string(wire.HolderStaff) {
		t.Errorf("the receipt says %v", body)
	}
}

// TestRule_notByStaff: a rule changes what agents may do for good, which staff cannot, whatever way it is made.
func TestRule_notByStaff(t *testing.T) {
	t.Parallel()
	b := open(t)
	staff := b.trusted(wire.HolderStaff)
	b.configure(wire.Config{Version: 1, DefaultLevel: 1})
	c := b.call("act", "yellow", "")
	c.Level = 1
	f, a := b.ask(c)
	if a.Rule == nil {
		t.Fatal("no rule is offered")
	}
	sum := sha256.Sum256([]byte(a.Rule.Text))
	rule := gatetest.Answer(a, wire.AllowRule)
	rule.Scope, _ = json.Marshal(wire.RuleScope{Rule: hex.EncodeToString(sum[:])}) // a string always marshals
	window := gatetest.Answer(a, wire.AllowWindow)
	window.Minutes = 15
	for _, d := range []wire.Decision{rule, window} {
		d.By.Role, d.By.Channel = "staff", "admin"
		if err := gatetest.SignWith(staff, &d, b.clock.now()); err != nil {
			t.Fatal(err)
		}
		if err := b.Deliver(d); err != nil {
			t.Fatal(err)
		}
		if now := b.approval(a.ID); now.State != wire.ApprovalPending {
			t.Errorf("%s by staff: the question is %s", d.Verb, now.State)
		}
		if why, _ := b.body(c.RunID, "call.denied")["why"].(string); !strings.Contains(why, "belongs to staff") {
			t.Errorf("%s by staff was refused because %q", d.Verb, why)
		}
	}
	if text := b.Config.State().RulesText(); text != "" {
		t.Errorf("rules in force:\n%s", text)
	}
	b.decide(rule) // the owner's own answer to the same question still counts
	b.wantState(f.end(t), wire.ToolDone)
	if text := b.Config.State().RulesText(); text == "" {
		t.Error("the owner's rule is not in force")
	}
	var applied string
	if err := b.DB.Read().QueryRowContext(t.Context(),
		"SELECT body FROM receipts WHERE type = 'permissions.applied'").Scan(&applied); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(applied, gatetest.Signer().KeyID) {
		t.Errorf("the receipt of the rule does not say who signed: %s", applied)
	}
}
