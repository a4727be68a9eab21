package approver_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// orderedWith is the seed of somebody who ordered with a passkey, which has signed for the key for boxes of their browser.
func (w *world) orderedWith(a *authenticator) (browser, wire.Seed) {
	w.t.Helper()
	b := browser{}
	var err error
	if b.box, b.boxKey, err = wire.NewSecretKey(); err != nil {
		w.t.Fatal(err)
	}
	at := w.now().Truncate(time.Second)
	b.KeyID = wire.ApproverKeyIDOf(a.spki)
	return b, wire.Seed{
		SPKI: a.spki, Kind: wire.PasskeyKey, Credential: "AAEC", Origin: origin,
		Label: "Passkey of the order", Address: "Owner@example.com",
		Box: &wire.BoxKey{Key: b.boxKey, Signature: *a.asserts(wire.BoxKeyText(b.KeyID, b.boxKey, at), at)},
	}
}

// TestBegin_passkey: a passkey of either kind can be the first key. Its owner gets the recovery code, and allows with it.
func TestBegin_passkey(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]*authenticator{
		"ES256": es256(t), "RS256": rs256(t, rsaKeys[2048]()), "large": rs256(t, rsaKeys[4096]()),
	} {
		w := open(t)
		b, s := w.orderedWith(a)
		w.leave(s)
		w.begin(false)
		all := w.keys()
		if len(all) != 1 || all[0].KeyID != b.KeyID || all[0].Kind != wire.PasskeyKey || all[0].Credential != "AAEC" {
			t.Fatalf("%s: keys %+v", name, all)
		}
		if err := w.Announce(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.opened(b, w.waiting())
		list, err := wire.KeyList(w.told[0].Keys)
		if err != nil || !strings.Contains(string(list), `"kind":"passkey"`) {
			t.Errorf("%s: list %s, %v", name, list, err)
		}
		if why := w.allows(a); why != "" {
			t.Errorf("%s: it may not allow: %s", name, why)
		}
	}
}

// TestBegin_passkeyForged: what a passkey has not signed for this hub, and somebody who was there, brings nothing.
func TestBegin_passkeyForged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bend  func(w *world, a *authenticator, s *wire.Seed)
		words string
	}{
		"for another hub": {func(w *world, a *authenticator, s *wire.Seed) {
			a.party = "evil.example"
			w.signsAgain(a, s)
		}, "not vouched for"},
		"from another page": {func(w *world, a *authenticator, s *wire.Seed) {
			a.client = map[string]any{"origin": "https://evil.example"}
			w.signsAgain(a, s)
		}, "not vouched for"},
		"by nobody known":      {func(w *world, a *authenticator, s *wire.Seed) { a.flags = 1; w.signsAgain(a, s) }, "not vouched for"},
		"by another passkey":   {func(w *world, _ *authenticator, s *wire.Seed) { w.signsAgain(es256(w.t), s) }, "not vouched for"},
		"said to be a browser": {func(_ *world, _ *authenticator, s *wire.Seed) { s.Kind = wire.BrowserKey }, "nothing else has one"},
		"a browser in disguise": {func(_ *world, _ *authenticator, s *wire.Seed) {
			s.Kind, s.Credential, s.Origin = wire.BrowserKey, "", ""
		}, "not vouched for"},
		"for nobody's pages":   {func(_ *world, _ *authenticator, s *wire.Seed) { s.Origin = "" }, "needs the origin"},
		"without a credential": {func(_ *world, _ *authenticator, s *wire.Seed) { s.Credential = "" }, "needs the id of its credential"},
	} {
		w := open(t)
		a := es256(t)
		_, s := w.orderedWith(a)
		c.bend(w, a, &s)
		w.leave(s)
		w.begin(false)
		w.wantSeedRefused(name, c.words, 0)
	}
}

// signsAgain puts another assertion of the key for boxes into a seed.
func (w *world) signsAgain(a *authenticator, s *wire.Seed) {
	at := w.now().Truncate(time.Second)
	sig := a.asserts(wire.BoxKeyText(wire.ApproverKeyIDOf(s.SPKI), s.Box.Key, at), at)
	sig.KeyID = wire.ApproverKeyIDOf(s.SPKI)
	s.Box.Signature = *sig
}
