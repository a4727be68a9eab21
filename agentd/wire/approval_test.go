package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"
)

// TestDigestOf_knownText computes the digest from the text of the format, spelled out.
func TestDigestOf_knownText(t *testing.T) {
	t.Parallel()
	a := Approval{
		ServerID: "srv", ID: "ap", RunID: "run", CallID: "call", Agent: "it-admin", Tool: "file_delete",
		ArgsHash: "00ff", Tier: "red", PolicyVersion: 7, ExpiresAt: noon.Add(24 * time.Hour),
	}
	sum := sha256.Sum256([]byte("gatehouse-call-v1\nsrv\nap\nrun\ncall\nit-admin\nfile_delete\n00ff\nred\n7\n-\n2026-11-04T12:00:00Z"))
	if want := hex.EncodeToString(sum[:]); DigestOf(a) != want {
		t.Fatalf("digest %s, want %s", DigestOf(a), want)
	}
}

// TestDigestOf_masked: where people see masks, the digest binds what they see beside what would run, and only that is
// what the call shows.
func TestDigestOf_masked(t *testing.T) {
	t.Parallel()
	real, seen := []byte(`{"key":"a"}`), []byte(`{"key":"[masked]"}`)
	hash := func(b []byte) string { sum := sha256.Sum256(b); return hex.EncodeToString(sum[:]) }
	a := Approval{ServerID: "srv", ID: "ap", RunID: "run", CallID: "call", Agent: "it-admin", Tool: "t", ArgsHash: hash(real), Tier: "red", PolicyVersion: 7, ExpiresAt: noon}
	if !a.Shows(real) || a.Shows(seen) || a.Shows(nil) {
		t.Error("without masks a call shows what would run")
	}
	a.ShownHash = hash(seen)
	if !a.Shows(seen) || a.Shows(real) {
		t.Error("with masks a call shows what is masked")
	}
	want := "gatehouse-call-v2\nsrv\nap\nrun\ncall\nit-admin\nt\n" + hash(real) + "\nred\n7\n-\n2026-11-03T12:00:00Z\n" + hash(seen)
	if got := CallText(a); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDigestOf_eachFieldMatters(t *testing.T) {
	t.Parallel()
	base := Approval{ServerID: "a", ID: "b", RunID: "c", CallID: "d", Agent: "e", Tool: "f", ArgsHash: "g", Tier: "red", PolicyVersion: 1, StagedHash: "h", ExpiresAt: noon}
	for name, change := range map[string]func(*Approval){
		"server": func(a *Approval) { a.ServerID = "x" }, "id": func(a *Approval) { a.ID = "x" },
		"run": func(a *Approval) { a.RunID = "x" }, "call": func(a *Approval) { a.CallID = "x" },
		"agent": func(a *Approval) { a.Agent = "x" }, "tool": func(a *Approval) { a.Tool = "x" },
		"args": func(a *Approval) { a.ArgsHash = "x" }, "tier": func(a *Approval) { a.Tier = "yellow" },
		"policy": func(a *Approval) { a.PolicyVersion++ }, "staged": func(a *Approval) { a.StagedHash = "x" },
		"shown": func(a *Approval) { a.ShownHash = "x" }, "expiry": func(a *Approval) { a.ExpiresAt = a.ExpiresAt.Add(time.Second) },
	} {
		other := base
		change(&other)
		if DigestOf(other) == DigestOf(base) {
			t.Errorf("%s does not change the digest", name)
		}
	}
}

func TestType_sealedFramesAreReliable(t *testing.T) {
	t.Parallel()
	for _, typ := range []Type{TypeChatMessage, TypeApprovalDecision} {
		if !typ.Sealed() || !typ.Reliable() {
			t.Errorf("%s: contents at rest must be sealed and kept", typ)
		}
	}
	for _, typ := range []Type{TypeHeartbeat, TypeChatDelta, TypeChatEvent, TypeRPCRequest, TypeRPCReply, TypeAck, TypePart} {
		if typ.Reliable() {
			t.Errorf("%s is ephemeral", typ)
		}
	}
}
