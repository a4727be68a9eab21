package gate_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy/canonical"
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
	if strings.Contains(string(a.Args), token) || a.ShownHash == "" || a.ShownHash == a.ArgsHash || !a.Shows(a.Args) ||
		a.Digest != wire.DigestOf(a) {
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
	if err := json.Unmarshal(redact.Frame(raw), &sent); err != nil {
		b.t.Fatal(err)
	}
	if !sent.Shows(sent.Args) || wire.DigestOf(sent) != a.Digest {
		b.t.Errorf("the hub is shown %s", sent.Args)
	}
}

// TestApproval_atRest: what an agent or a person said in a question is kept without secrets, also the reason of a no, which the
// agent reads. Only arguments that a person put in are kept as they are, and only until they run.
func TestApproval_atRest(t *testing.T) {
	t.Parallel()
	b := open(t)
	token := "gh" + "p_" + strings.ReplaceAll(rand.Text()+rand.Text(), "=", "")[:36]
	args, err := json.Marshal(gatetest.Args{Tier: "red", Key: token})
	if err != nil {
		t.Fatal(err)
	}
	c := b.call("act", "red", "")
	c.Args, c.Reason = args, "It signs in with "+token+" there."
	f, a := b.ask(c)
	b.wantKept(a.ID, token, false)
	no := gatetest.Answer(a, wire.Deny)
	no.Reason = "Never use " + token + " for that, use the other account."
	b.decide(no)
	out := f.end(t)
	b.wantState(out, wire.ToolDenied)
	b.wantKept(a.ID, token, false)
	if said := b.approval(a.ID).DenyReason; strings.Contains(out.Text, token) || !strings.Contains(out.Text, said) ||
		!strings.HasSuffix(said, "for that, use the other account.") {
		t.Errorf("%q was said, and the agent reads %q", said, out.Text)
	}

	c = b.call("act", "red", "")
	_, a = b.ask(c)
	b.restart() // nobody takes the answer at once
	yes := gatetest.Answer(a, wire.Edit)
	yes.Args = args
	b.decide(yes)
	b.wantKept(a.ID, token, true)
	b.restart()
	b.wantState(b.do(c), wire.ToolDone)
	written, bad := canonical.Hash(args)
	effects, err := b.ledger.Effects()
	if last := effects[len(effects)-1]; err != nil || bad != nil || last.CallID != c.ID || last.ArgsHash != written {
		t.Errorf("ran %v, %v", last, err)
	}
	b.wantKept(a.ID, token, false)
	if now := b.approval(a.ID); len(now.Edited) == 0 || now.Execution != wire.ExecDone {
		t.Errorf("%s, edited to %s", now.Execution, now.Edited)
	}
}

// wantKept looks for a secret in the row of an approval: it may stand in edited alone, and only where that is said.
func (b *bench) wantKept(id, secret string, edited bool) {
	b.t.Helper()
	var body, args string
	if err := b.DB.Read().QueryRowContext(b.t.Context(), "SELECT body, edited FROM gate_approvals WHERE id = ?", id).Scan(&body,
		&args); err != nil {
		b.t.Fatal(err)
	}
	if strings.Contains(body, secret) || strings.Contains(args, secret) != edited {
		b.t.Errorf("kept as %s\nedited %s", body, args)
	}
}

// TestApproval_vouched: what reaches the hub of a question is what the server signed, with secrets that are masked in it,
// also when it is put again, and no longer when somebody has changed it on the way.
func TestApproval_vouched(t *testing.T) {
	t.Parallel()
	b := open(t)
	token := "gh" + "p_" + strings.ReplaceAll(rand.Text()+rand.Text(), "=", "")[:36]
	c := b.call("act", "red", "")
	c.Reason = "It signs in with " + token + " there."
	f, a := b.ask(c)
	d := gatetest.Answer(a, wire.AllowOnce)
	d.Signature = &wire.Signature{}
	b.decide(d)
	var sent []wire.Approval
	for _, s := range b.Sent() {
		var q wire.Approval
		var u wire.ApprovalUpdate
		body := redact.Frame(s.Body)
		switch {
		case s.Type == wire.TypeApprovalRequest && json.Unmarshal(body, &q) == nil:
			sent = append(sent, q)
		case s.Type == wire.TypeApprovalUpdate && json.Unmarshal(body, &u) == nil && u.Again != nil:
			sent = append(sent, *u.Again)
		}
	}
	if len(sent) != 2 {
		t.Fatalf("asked %d times", len(sent))
	}
	for _, q := range sent {
		if q.ID != a.ID || strings.Contains(q.Reason, token) || !q.VouchedBy(wire.CardKey(gatetest.Identity)) {
			t.Errorf("sent %+v, signed %+v", q, q.Vouched)
		}
		if said := q.In("de"); len(q.Locales) == 0 || said.WhyAsked == q.WhyAsked {
			t.Errorf("in German: %+v", said)
		}
		q.Summary += "!"
		if q.VouchedBy(wire.CardKey(gatetest.Identity)) {
			t.Error("another sentence is vouched for")
		}
	}
	b.decide(gatetest.Answer(a, wire.Deny))
	b.wantState(f.end(t), wire.ToolDenied)
}
