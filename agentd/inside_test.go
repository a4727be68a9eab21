package agentd

import (
	"slices"
	"testing"

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
