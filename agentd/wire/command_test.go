package wire_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"testing"

	"gatehouse/agentd/wire"
)

func newKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func publicOf(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

// TestSignedCommand: a command opens as it was signed, and not at all when anything of it was changed or another key signed.
func TestSignedCommand(t *testing.T) {
	t.Parallel()
	key, other := newKey(t), newKey(t)
	c := wire.Command{ID: "c", ServerID: "s", Verb: wire.VerbRestart, By: "clerk@example.com"}
	s, err := wire.SignCommand(c, key)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Open(publicOf(key)); err != nil || got != c {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range s.Text {
		bent := s
		bent.Text = s.Text[:i] + string(s.Text[i]^1) + s.Text[i+1:]
		if _, err := bent.Open(publicOf(key)); !errors.Is(err, wire.ErrCommand) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	plain := s
	plain.Sig = base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(s.Text)))
	for what, bad := range map[string]wire.SignedCommand{"no mark": plain, "no signature": {Text: s.Text}} {
		if _, err := bad.Open(publicOf(key)); !errors.Is(err, wire.ErrCommand) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, k := range map[string]ed25519.PublicKey{"another key": publicOf(other), "no key": nil} {
		if _, err := s.Open(k); !errors.Is(err, wire.ErrCommand) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestKeyOffer: an offer holds for the server and the key that it names, signed by the old key and the new one.
func TestKeyOffer(t *testing.T) {
	t.Parallel()
	old, next, other := newKey(t), newKey(t), newKey(t)
	good := wire.OfferKey("s", old, next)
	if got, err := good.Verify("s", publicOf(old)); err != nil || !got.Equal(publicOf(next)) {
		t.Fatalf("%v", err)
	}
	strange := wire.OfferKey("s", old, other)
	for what, bad := range map[string]wire.KeyOffer{
		"signed by another key":        wire.OfferKey("s", other, next),
		"for another server":           wire.OfferKey("t", old, next),
		"the same key":                 wire.OfferKey("s", old, old),
		"without the new key's word":   {PublicKey: good.PublicKey, OldSig: good.OldSig, NewSig: strange.NewSig},
		"without the old key's word":   {PublicKey: good.PublicKey, OldSig: good.NewSig, NewSig: good.NewSig},
		"of another key, with its own": {PublicKey: strange.PublicKey, OldSig: good.OldSig, NewSig: strange.NewSig},
		"nothing":                      {},
	} {
		if _, err := bad.Verify("s", publicOf(old)); !errors.Is(err, wire.ErrKeyOffer) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
