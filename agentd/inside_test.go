package agentd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/wire"
)

// TestPowers_inside: until the first key is enrolled the hub says who is inside. From then on a person has to sign for
// each address, or a hub in wrong hands would mail to itself unasked.
func TestPowers_inside(t *testing.T) {
	t.Parallel()
	o := openNew(t)
	push := func(v int64, signed []wire.SignedChange, inside ...string) {
		t.Helper()
		o.push(wire.Config{Version: v, DefaultLevel: 2, Inside: inside, Signed: signed}, v)
	}
	push(1, nil, "owner@example.com")
	o.enrol()
	push(2, nil, "owner@example.com", "evil@evil.example")
	if !o.live.Has("owner@example.com") || o.live.Has("evil@evil.example") {
		t.Fatalf("inside without a signature: %v", o.live.State().Config().Inside)
	}
	mate, _ := o.sign(wire.ChangeInside, "mate@example.com", 3)
	push(3, []wire.SignedChange{mate}, "owner@example.com", "evil@evil.example", "mate@example.com")
	if !o.live.Has("mate@example.com") || o.live.Has("evil@evil.example") {
		t.Fatalf("inside with one signature: %v", o.live.State().Config().Inside)
	}
	lied := wire.Config{Version: 4, DefaultLevel: 1, Inside: []string{"evil@evil.example"}, Added: []string{"evil@evil.example"}}
	if o.push(lied, 3); o.live.Has("evil@evil.example") {
		t.Fatal("an address that the owner is said to have added is inside")
	}
	push(5, nil, "owner@example.com")
	if o.live.Has("mate@example.com") {
		t.Fatal("an address that was removed is inside")
	}
	got, err := o.live.Methods().Answer(t.Context(), wire.MethodInsideList, nil)
	if err != nil || !slices.Equal(got.(wire.InsideResult).Items, []string{"owner@example.com"}) {
		t.Fatalf("inside are %v, %v", got, err)
	}
}

// TestPowers_ordered: with a key that came with the order, the hub is believed about the address that ordered: once, and
// about no other.
func TestPowers_ordered(t *testing.T) {
	t.Parallel()
	o := openNew(t)
	raw, err := json.Marshal(wire.Seed{SPKI: o.owner.SPKI(), Kind: wire.BrowserKey, Label: "k", Address: "Owner@Example.com"})
	if err == nil {
		err = os.WriteFile(filepath.Join(o.dir, approver.SeedFile), raw, 0o600)
	}
	if err == nil {
		err = o.keys.Begin(t.Context(), false)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		inside []string
		owner  bool
	}{
		{nil, false}, // not proven yet
		{[]string{"evil@evil.example"}, false},
		{[]string{"evil@evil.example", "owner@example.com"}, true},
		{[]string{"owner@example.com"}, true},
		{nil, false}, // taken back
		{[]string{"owner@example.com"}, false},
	} {
		v := int64(i + 1)
		o.push(wire.Config{Version: v, DefaultLevel: 2, Inside: step.inside}, v)
		if o.live.Has("owner@example.com") != step.owner || o.live.Has("evil@evil.example") {
			t.Errorf("after %v inside are %v", step.inside, o.live.State().Config().Inside)
		}
	}
}
