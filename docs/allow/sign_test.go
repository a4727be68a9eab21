package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// as is an approval as the API gives it.
func as(t *testing.T, a wire.Approval) asked {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var out asked
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDigest: the example names a call as the server does, and names none whose arguments are not those of its hash.
func TestDigest(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		`{}`, `{"path":"tmp/*.tmp"}`, `{ "b": 1, "a": ["x", null, true, -9007199254740991] }`, `{"text":"<b> & \"ö\" \u00e9 \ud83d\ude00\n","é":{"z":0,"a":""}}`,
	} {
		c, err := canonical.JSON([]byte(args))
		if err != nil {
			t.Fatal(err)
		}
		a := wire.Approval{
			ID: "i", ServerID: "s", RunID: "r", CallID: "c", Agent: "it-admin", Tool: "t", Args: json.RawMessage(args), ArgsHash: canonical.Sum(c),
			Tier: "red", PolicyVersion: 7, ExpiresAt: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
		}
		if got, err := as(t, a).digest(); err != nil || got != wire.DigestOf(a) {
			t.Errorf("%s: %s, %v", args, got, err)
		}
		masked := a
		masked.ArgsHash, masked.ShownHash = strings.Repeat("a", 64), canonical.Sum(c)
		if got, err := as(t, masked).digest(); err != nil || got != wire.DigestOf(masked) {
			t.Errorf("masked %s: %s, %v", args, got, err)
		}
		other := as(t, a)
		other.Args = json.RawMessage(strings.Replace(args, "{", `{"more":1,`, 1))
		if args == `{}` {
			other.Args = json.RawMessage(`{"more":1}`)
		}
		if got, err := other.digest(); err == nil {
			t.Errorf("%s is named %s", other.Args, got)
		}
	}
}

// TestVouched: the example hashes what a server says as the server does, and does not take another sentence or key for it.
func TestVouched(t *testing.T) {
	t.Parallel()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(`{}`))
	bare := wire.Approval{ID: "i", ServerID: "s", RunID: "r", CallID: "c", Agent: "a", Tool: "t", Args: json.RawMessage(`{}`), ArgsHash: hex.EncodeToString(sum[:]), Tier: "red", Facts: []wire.Fact{}}
	full := bare
	full.Summary, full.Reason, full.WhyAsked, full.Action, full.Destination = "Change <b> & \"ö\"", "a\tb\n", "w", "x.y.z", "d"
	full.Facts, full.Diff = []wire.Fact{{Name: "bytes", Value: 1 << 52, Text: "much"}}, &wire.Diff{Path: "a", Unified: "@@ -1 +1 @@\n-<\n+>\n", Added: 1, Removed: 1}
	full.Taint, full.Guardian, full.Rule = []wire.TaintSource{{Source: "mail", ID: "m"}}, &wire.Judgement{Verdict: "allow", Reason: "r", MS: 3}, &wire.RuleProposal{ID: "r", Text: "t", Diff: "+t", Base: 4}
	for name, a := range map[string]wire.Approval{"little": bare, "everything": full} {
		a.Digest = wire.DigestOf(a)
		if a.Vouched, err = a.Vouch(key); err != nil {
			t.Fatal(err)
		}
		if err := as(t, a).vouched(wire.CardKey(key)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if as(t, a).vouched(strings.Repeat("0", 64)) == nil || as(t, a).vouched("") == nil {
			t.Errorf("%s is the word of any server", name)
		}
		a.Summary += "."
		if as(t, a).vouched(wire.CardKey(key)) == nil {
			t.Errorf("%s: another sentence is taken", name)
		}
	}
}

func TestNewSigner_refuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "no key", strings.ReplaceAll("-----BEGIN x-----\nAAAA\n-----END x-----\n", "x", "PRIVATE"+" KEY")} {
		if _, err := newSigner("k", text); err == nil {
			t.Errorf("%q is a key", text)
		}
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	if got := shown("Überweise\x1b[2K 5 €\r\n\u202e"); got != "Überweise·[2K 5 €···" {
		t.Errorf("%q", got)
	}
}
