package link

import (
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gatehouse/agentd/wire"
)

// registered is the identity of a server in a state directory of its own.
func registered(t *testing.T) (dir string, id Identity) {
	t.Helper()
	dir = t.TempDir()
	id, err := loadOrMake(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := id.save(dir, &wire.RegisterResponse{ServerID: "server", Hub: "https://hub.example"}); err != nil {
		t.Fatal(err)
	}
	return dir, reload(t, dir)
}

func reload(t *testing.T, dir string) Identity {
	t.Helper()
	id, err := LoadIdentity(dir)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func public(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

// TestKeys: a server that is stopped after any step of a renewal has one key that the hub knows it by, and signs cards with
// the key that it always had.
func TestKeys(t *testing.T) {
	t.Parallel()
	dir, id := registered(t)
	first := OpenKeys(dir, id)
	offer, err := first.Offer()
	if err != nil {
		t.Fatal(err)
	}
	next, err := offer.Verify("server", public(id.Key))
	if err != nil {
		t.Fatal(err)
	}
	// Stopped here: the hub may have taken the offer, or may not.
	for what, known := range map[string]ed25519.PublicKey{"the hub did not take it": public(id.Key), "the hub took it": next} {
		k := OpenKeys(dir, reload(t, dir))
		for range 2 {
			if public(k.try()).Equal(known) {
				break
			}
			k.turnedAway()
		}
		if !public(k.try()).Equal(known) {
			t.Errorf("%s: neither key opens the link", what)
		}
	}
	// Asked again, the same key is offered: the hub may have stored it.
	again, err := OpenKeys(dir, reload(t, dir)).Offer()
	if err != nil || again.PublicKey != offer.PublicKey {
		t.Errorf("another key was offered: %v", err)
	}
	k := OpenKeys(dir, reload(t, dir))
	if _, err := k.Taken("another"); !errors.Is(err, ErrNotOffered) {
		t.Errorf("a key that was not offered was taken: %v", err)
	}
	for i, fresh := range []bool{true, false} {
		if got, err := k.Taken(wire.KeyID(next)); got != fresh || err != nil {
			t.Errorf("taken %d: %t, %v", i, got, err)
		}
	}
	after := reload(t, dir)
	if !public(after.opens()).Equal(next) || after.Next != nil || !after.Key.Equal(id.Key) {
		t.Error("the new key does not open the link, the old one does still, or cards are signed with another key")
	}
	if raw, err := os.ReadFile(filepath.Join(dir, identityFile)); err != nil || after.ServerID != "server" || len(raw) == 0 {
		t.Errorf("the identity lost what it held: %v", err)
	}
	// The one after is signed by the one that opens the link now.
	second, err := OpenKeys(dir, after).Offer()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Verify("server", next); err != nil {
		t.Error(err)
	}
	if _, err := second.Verify("server", public(id.Key)); !errors.Is(err, wire.ErrKeyOffer) {
		t.Errorf("signed by a key that is over: %v", err)
	}
}

// TestKeys_disk: when the new key cannot be stored, it is not offered.
func TestKeys_disk(t *testing.T) {
	t.Parallel()
	dir, id := registered(t)
	k := OpenKeys(filepath.Join(dir, "gone"), id)
	if _, err := k.Offer(); err == nil {
		t.Fatal("a key was offered that nobody has stored")
	}
	if !k.try().Equal(id.Key) {
		t.Error("the link is opened with another key")
	}
}

// TestKeys_putBack: a hub that was put back to a state before the renewal still lets the server in, and the next renewal is
// signed by the key by which that hub knows it.
func TestKeys_putBack(t *testing.T) {
	t.Parallel()
	dir, id := registered(t)
	k := OpenKeys(dir, id)
	offer, err := k.Offer()
	if err != nil {
		t.Fatal(err)
	}
	later, err := offer.Verify("server", public(id.Key))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Taken(wire.KeyID(later)); err != nil {
		t.Fatal(err)
	}
	k = OpenKeys(dir, reload(t, dir))
	for tries := 0; !k.try().Equal(id.Key); tries++ {
		if tries == 3 {
			t.Fatal("the former key is not tried")
		}
		k.turnedAway()
	}
	if fresh, err := k.opened(k.try()); !fresh || err != nil {
		t.Fatalf("let in by the former key: %t, %v", fresh, err)
	}
	k = OpenKeys(dir, reload(t, dir))
	if !k.try().Equal(id.Key) || k.ID() != idOf(id.Key) {
		t.Error("the former key is not tried first afterwards")
	}
	if offer, err = k.Offer(); err != nil {
		t.Fatal(err)
	}
	if again, err := offer.Verify("server", public(id.Key)); err != nil || !again.Equal(later) {
		t.Errorf("the later key is not on offer again: %v", err)
	}
}
