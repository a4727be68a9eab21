package gate_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// TestApproval_masked: arguments with a secret in them are asked about as people will see them, the digest binds that and
// what would run, and what runs is what was asked for.
func TestApproval_masked(t *testing.T) {
	t.Parallel()
	b := open(t)
	token := "gh" + "p_" + strings.ReplaceAll(rand.Text()+rand.Text(), "=", "")[:36]
	c := b.call("act", "red", "")
	args, err := json.Marshal(gatetest.Args{Tier: "red", Key: token})
	if err != nil {
		t.Fatal(err)
	}
	c.Args = args
	f, a := b.ask(c)
	if strings.Contains(string(a.Args), token) || a.ShownHash == "" || a.ShownHash == a.ArgsHash || !a.Shows(a.Args) || a.Digest != wire.DigestOf(a) {
		t.Fatalf("approval %+v", a)
	}
	b.wantShown(a)
	b.decide(gatetest.Answer(a, wire.AllowOnce))
	b.wantState(f.end(t), wire.ToolDone)
	b.wantRan(c.ID, 1)
	effects, err := b.ledger.Effects()
	if last := effects[len(effects)-1]; err != nil || last.ArgsHash != a.ArgsHash {
		t.Errorf("ran %v, asked for %s: %v", last, a.ArgsHash, err)
	}
}

// TestApproval_unmasked: where nothing is masked the question is what it always was.
func TestApproval_unmasked(t *testing.T) {
	t.Parallel()
	b := open(t)
	_, a := b.ask(b.call("act", "red", ""))
	if a.ShownHash != "" || !strings.HasPrefix(wire.CallText(a), "gatehouse-call-v1\n") {
		t.Errorf("approval %+v", a)
	}
	b.wantShown(a)
}

// wantShown wants that what leaves for the hub shows what the digest says it shows.
func (b *bench) wantShown(a wire.Approval) {
	b.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		b.t.Fatal(err)
	}
	var sent wire.Approval
	if err := json.Unmarshal(redact.Frame(redact.ToHub, raw), &sent); err != nil {
		b.t.Fatal(err)
	}
	if !sent.Shows(sent.Args) || wire.DigestOf(sent) != a.Digest {
		b.t.Errorf("the hub is shown %s", sent.Args)
	}
}
