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

// TestApproval_editOfMasked: who edits what was shown masked does not make the marks into arguments.
func TestApproval_editOfMasked(t *testing.T) {
	t.Parallel()
	b := open(t)
	token := "gh" + "p_" + (rand.Text() + rand.Text())[:36]
	args := func(tier, key string) json.RawMessage {
		raw, err := json.Marshal(gatetest.Args{Tier: tier, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	const mark = "[SECRET:shop.key]"
	masked := redact.Bytes(args("yellow", "use "+token))
	if strings.Contains(string(masked), token) {
		t.Fatal("the hub would see the token")
	}
	for name, tc := range map[string]struct {
		asked string
		edit  json.RawMessage
		again string // the mark that it is asked again for; empty: it runs
	}{
		"as shown":              {"use " + token, masked, "[REDACTED:"},
		"of the vault":          {"plain", args("red", "a "+mark), mark},
		"escaped":               {"plain", json.RawMessage(strings.Replace(string(args("red", mark)), "[", `\u005b`, 1)), mark},
		"twice":                 {mark, args("red", mark+mark), mark},
		"one that stood there":  {mark, args("yellow", mark), ""},
		"the secret taken away": {"use " + token, args("yellow", "use none"), ""},
	} {
		c := b.call("act", "red", "")
		c.Args = args("red", tc.asked)
		f, a := b.ask(c)
		d := gatetest.Answer(a, wire.Edit)
		d.Args = tc.edit
		b.decide(d)
		if tc.again == "" {
			b.wantState(f.end(t), wire.ToolDone)
			b.wantRan(c.ID, 1)
			continue
		}
		next := b.successor(a.ID)
		if !strings.Contains(next.WhyAsked, tc.again) || !strings.Contains(next.WhyAsked, "not shown") {
			t.Errorf("%s: asked again because %q", name, next.WhyAsked)
		}
		if why := b.body(c.RunID, "approval.refused")["why"]; !strings.Contains(why.(string), "not shown") {
			t.Errorf("%s: refused because %q", name, why)
		}
		b.wantRan(c.ID, 0)
		b.decide(gatetest.Answer(next, wire.AllowOnce))
		b.wantState(f.end(t), wire.ToolDone)
		b.wantRan(c.ID, 1)
	}
}
