package gate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
)

// TestClip_leavesNoHalf: what is cut off a credential is what it would be known by; its beginning must go with it. The
// exits behind the gate, which see the cut text alone, would pass it on.
func TestClip_leavesNoHalf(t *testing.T) {
	t.Parallel()
	key := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	for back := 1; back < len(key); back++ {
		text := strings.Repeat("x ", (maxReceiptText-back)/2) + " " + key + strings.Repeat(" more", 20)
		out := redact.Text(clip(text, maxReceiptText))
		if len(out) > maxReceiptText || strings.Contains(out, "ghp_a") {
			t.Fatalf("cut %d bytes into the key: %d bytes that end with %q", back, len(out), out[len(out)-60:])
		}
	}
}

// speaker is a tool whose class quotes its arguments.
type speaker struct{ Tool }

func (speaker) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("shell", args, policy.Env{})
}

// TestClassify_leavesNoHalf: what a class says of a call is as long as it is shown from the start, and holds no half of a
// credential, wherever in the command it stands.
func TestClassify_leavesNoHalf(t *testing.T) {
	t.Parallel()
	key := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	for _, form := range []string{"echo %s %s", "ls --%s=%s"} {
		for n := 0; n < policy.Shown+20; n += 7 {
			args, err := json.Marshal(policy.ShellArgs{Command: fmt.Sprintf(form, strings.Repeat("x", n), key+strings.Repeat(" y", 200))})
			if err != nil {
				t.Fatal(err)
			}
			p := &pipeline{Gate: &Gate{classifyTimeout: time.Minute}, toolEntry: toolEntry{tool: speaker{}}, call: Call{Args: args}}
			if err := p.classify(); err != nil {
				t.Fatal(err)
			}
			for _, said := range []string{p.class.Says, p.class.Why} {
				if out := redact.Text(said); strings.Contains(out, "ghp_a") || len(said) > policy.Shown {
					t.Fatalf("%d before the key: %q", n, out)
				}
			}
		}
	}
}

// TestTool_leavesNoSecret: what a model called for a tool is in every receipt of the call, and in none as a credential.
func TestTool_leavesNoSecret(t *testing.T) {
	t.Parallel()
	key := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	g := &Gate{tools: map[string]toolEntry{"password=of4the9shop": {}}}
	for _, name := range []string{key, strings.Repeat("x", 40) + " " + key, key + strings.Repeat(" more", 100)} {
		for _, p := range []*pipeline{{Gate: g, call: Call{Tool: name}}, {call: Call{Tool: name}}} {
			p.addRequestedReceipt()
			if e := p.receipts[0]; strings.Contains(e.Tool, "ghp_") || e.Tool == "" || len(e.Tool) > 64 {
				t.Errorf("%q is noted as %q", name, e.Tool)
			}
		}
	}
	if p := (&pipeline{Gate: g, call: Call{Tool: "password=of4the9shop"}}); p.toolName() != p.call.Tool {
		t.Errorf("a tool that is there is noted as %q", p.toolName())
	}
}
