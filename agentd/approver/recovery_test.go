package approver_test

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/wire"
)

// browser is an approver key with the key for boxes beside it.
type browser struct {
	wire.Signer
	box     *ecdh.PrivateKey
	boxKey  string
	vouched wire.Signature // for the key for boxes
}

func (w *world) browser() browser {
	w.t.Helper()
	b := browser{Signer: signer(w.t)}
	var err error
	if b.box, b.boxKey, err = wire.NewSecretKey(); err != nil {
		w.t.Fatal(err)
	}
	b.vouched = b.vouches(w.t, b.boxKey, w.now())
	return b
}

// vouches signs that a key for boxes is this browser's.
func (b browser) vouches(t testing.TB, boxKey string, at time.Time) wire.Signature {
	t.Helper()
	sig, err := b.Sign(wire.BoxKeyText(b.KeyID, boxKey, at.Truncate(time.Second)), at)
	if err != nil {
		t.Fatal(err)
	}
	return *sig
}

func (b browser) seed() wire.Seed {
	s := seed(b.Signer)
	s.Box = &wire.BoxKey{Key: b.boxKey, Signature: b.vouched}
	return s
}

// ordered is a server whose first start took the key of a browser, and the code that the browser was given.
func ordered(t *testing.T) (*world, browser, string) {
	t.Helper()
	w := open(t)
	b := w.browser()
	w.leave(b.seed())
	w.begin(false)
	if err := w.Announce(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w, b, w.opened(b, w.waiting())
}

// waiting is what the hub was told last of a sealed code.
func (w *world) waiting() *wire.SealedRecovery { return w.told[len(w.told)-1].Recovery }

// opened is the code in a box, which the server must have signed for this browser.
func (w *world) opened(b browser, s *wire.SealedRecovery) string {
	w.t.Helper()
	if s == nil {
		w.t.Fatal("no code waits")
	}
	sig, err := hex.DecodeString(s.Sig)
	text := wire.RecoveryText(serverID, b.KeyID, s.Box)
	if err != nil || !ed25519.Verify(identity.Public().(ed25519.PublicKey), text, sig) || s.KeyID != b.KeyID {
		w.t.Fatalf("signed %+v, %v", s, err)
	}
	code, err := wire.OpenSecret(b.box, wire.RecoveryPurpose(b.KeyID), s.Box)
	if err != nil || len(code) != 29 {
		w.t.Fatalf("opened %q, %v", code, err)
	}
	return string(code)
}

// renewal asks for a new code for a browser that is enrolled.
func (w *world) renewal(b browser) wire.RecoveryAsk {
	sig := w.signChange(b.Signer, wire.ChangeRecovery, wire.RecoveryBody{Key: b.boxKey}, w.version)
	return wire.RecoveryAsk{Key: b.boxKey, Version: w.version, Signature: sig}
}

// recovers says whether a code enrols a new key.
func (w *world) recovers(code string) error {
	w.t.Helper()
	e := w.proven(code, signer(w.t))
	e.Recovery = true
	_, err := w.Enrol(w.t.Context(), e)
	return err
}

func (w *world) kept(code string) error {
	w.t.Helper()
	_, err := w.RecoveryKept(w.t.Context(), wire.RecoveryKept{Proof: wire.CodeMAC(w.codeKey(code), wire.KeptText(serverID))})
	return err
}

// TestRecovery_comesWithTheFirstStart: the browser that ordered gets the code, the server keeps none of it, and it recovers.
func TestRecovery_comesWithTheFirstStart(t *testing.T) {
	t.Parallel()
	w, _, code := ordered(t)
	if w.receipts("approver.recovery") != 1 || w.receipts("approver.enrolled") != 1 {
		t.Errorf("%d and %d receipts", w.receipts("approver.recovery"), w.receipts("approver.enrolled"))
	}
	w.wantNowhere(code)
	if err := w.recovers(code); err != nil {
		t.Fatal(err)
	}
	if w.waiting() != nil {
		t.Error("a used code waits to be written down")
	}
	wantRefused(t, "twice", w.recovers(code), "used")
}

// wantNowhere fails if a code lies anywhere in the state directory.
func (w *world) wantNowhere(code string) {
	w.t.Helper()
	plain := strings.ReplaceAll(code, "-", "")
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), code) || strings.Contains(string(raw), plain) {
			w.t.Errorf("the code lies in %s", path)
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

// TestRecovery_swappedOnTheWay: a hub that puts a key of its own in the place of the browser's gets no code: the seed counts
// as a whole or not at all.
func TestRecovery_swappedOnTheWay(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]func(w *world, b browser, s *wire.Seed){
		"its own key": func(w *world, _ browser, s *wire.Seed) { s.Box.Key = w.browser().boxKey },
		"signed by itself": func(w *world, _ browser, s *wire.Seed) {
			o := w.browser()
			s.Box = &wire.BoxKey{Key: o.boxKey, Signature: o.vouched}
		},
		"said to be the owner's": func(w *world, b browser, s *wire.Seed) {
			o := w.browser()
			s.Box = &wire.BoxKey{Key: o.boxKey, Signature: o.vouched}
			s.Box.Signature.KeyID = b.KeyID
		},
		"unsigned":         func(_ *world, _ browser, s *wire.Seed) { s.Box.Signature.Sig = "" },
		"at another time":  func(_ *world, _ browser, s *wire.Seed) { s.Box.Signature.Time = s.Box.Signature.Time.Add(time.Second) },
		"part of a second": func(_ *world, _ browser, s *wire.Seed) { s.Box.Signature.Time = s.Box.Signature.Time.Add(1) },
		"no point": func(w *world, b browser, s *wire.Seed) {
			s.Box.Key = "AAAA"
			s.Box.Signature = b.vouches(w.t, "AAAA", w.now())
		},
	} {
		w := open(t)
		b := w.browser()
		s := b.seed()
		swap(w, b, &s)
		w.leave(s)
		w.begin(false)
		w.wantSeedRefused(name, "not vouched for", 0)
		if n := w.receipts("approver.recovery"); n != 0 {
			t.Errorf("%s: %d codes were made", name, n)
		}
	}
}

// TestRecovery_none: a seed without a key for boxes has no code made.
func TestRecovery_none(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.leave(seed(signer(t)))
	w.begin(false)
	if err := w.Announce(t.Context()); err != nil || w.waiting() != nil || w.receipts("approver.recovery") != 0 {
		t.Errorf("%v, %+v", err, w.told)
	}
	_, err := w.RecoveryKept(t.Context(), wire.RecoveryKept{Proof: "AA"})
	wantRefused(t, "kept", err, "never made one")
}

// TestRecovery_kept: who knows the code can have its box deleted. The code itself counts on.
func TestRecovery_kept(t *testing.T) {
	t.Parallel()
	w, _, code := ordered(t)
	told := len(w.told)
	wantRefused(t, "another code", w.kept("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF"), "not the one that counts")
	if w.receipts("approver.refused") != 1 || len(w.told) != told || w.waiting() == nil {
		t.Errorf("%d refusals, told %d times", w.receipts("approver.refused"), len(w.told))
	}
	for range 2 { // the second is a repeat, whose first answer was lost
		if err := w.kept(code); err != nil {
			t.Fatal(err)
		}
	}
	if w.waiting() != nil || w.receipts("approver.recovery_kept") != 1 || w.boxes() != 0 {
		t.Errorf("the box is there still: %+v, %d receipts, %d boxes", w.waiting(), w.receipts("approver.recovery_kept"), w.boxes())
	}
	w.wantNowhere(code)
	if err := w.recovers(code); err != nil {
		t.Error(err)
	}
}

// boxes counts the boxes that lie in the database.
func (w *world) boxes() (n int) {
	w.t.Helper()
	if err := w.db.Read().QueryRowContext(w.t.Context(), "SELECT count(box) FROM approver_recovery").Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// TestNewRecovery: a new code takes the place of the one before, for whoever signed alone.
func TestNewRecovery(t *testing.T) {
	t.Parallel()
	w, b, former := ordered(t)
	b.box, b.boxKey, _ = wire.NewSecretKey()
	got, err := w.NewRecovery(t.Context(), w.renewal(b))
	if err != nil {
		t.Fatal(err)
	}
	code := w.opened(b, &got)
	if told := w.waiting(); told == nil || *told != got || code == former {
		t.Errorf("told %+v, answered %+v", told, got)
	}
	wantRefused(t, "the former code", w.recovers(former), "not the one")
	wantRefused(t, "the former code is kept", w.kept(former), "not the one that counts")
	if err := w.recovers(code); err != nil {
		t.Error(err)
	}
}

// TestNewRecovery_forged: without a signature of the owner over exactly this key nothing is made, and what counted counts on.
func TestNewRecovery_forged(t *testing.T) {
	t.Parallel()
	w, b, _ := ordered(t)
	staff := browser{Signer: w.trusted(wire.HolderStaff), box: b.box, boxKey: b.boxKey}
	own := w.browser() // what a hub would like the code to be sealed to
	replayed := w.renewal(b)
	if _, err := w.NewRecovery(t.Context(), replayed); err != nil {
		t.Fatal(err)
	}
	code := w.opened(b, w.waiting())
	refused := w.receipts("approver.refused")
	for name, c := range map[string]struct {
		ask   func() wire.RecoveryAsk
		words string
	}{
		"no signature":       {func() wire.RecoveryAsk { a := w.renewal(own); a.Signature = nil; return a }, "no device that may approve"},
		"a stranger":         {func() wire.RecoveryAsk { return w.renewal(own) }, "may not approve"},
		"staff":              {func() wire.RecoveryAsk { return w.renewal(staff) }, "staff"},
		"sealed to another":  {func() wire.RecoveryAsk { a := w.renewal(b); a.Key = own.boxKey; return a }, "does not hold"},
		"a used signature":   {func() wire.RecoveryAsk { return replayed }, "used before"},
		"an earlier version": {func() wire.RecoveryAsk { a := w.renewal(b); a.Version--; return a }, "settings have changed"},
		"signed for another change": {func() wire.RecoveryAsk {
			a := w.renewal(b)
			a.Signature = w.signChange(b.Signer, wire.ChangeRevoke, wire.RecoveryBody{Key: b.boxKey}, w.version)
			return a
		}, "does not hold"},
		"too late": {func() wire.RecoveryAsk {
			w.move(-6 * time.Minute)
			defer w.move(6 * time.Minute)
			return w.renewal(b)
		}, "5 minutes"},
		"no key for boxes": {func() wire.RecoveryAsk { a := w.renewal(b); a.Key = ""; return a }, "no key to which"},
	} {
		_, err := w.NewRecovery(t.Context(), c.ask())
		wantRefused(t, name, err, c.words)
		if refused++; w.receipts("approver.refused") != refused {
			t.Errorf("%s: %d refusals, want %d", name, w.receipts("approver.refused"), refused)
		}
	}
	if got := w.opened(b, w.waiting()); got != code {
		t.Error("the code has changed")
	}
	if err := w.recovers(code); err != nil {
		t.Errorf("the code counts no more: %v", err)
	}
}

// TestRecovery_newest: of a code for a browser and one of the console the newer counts, and the older never again.
func TestRecovery_newest(t *testing.T) {
	t.Parallel()
	w, b, first := ordered(t)
	w.move(time.Second)
	printed := w.recoveryPrinted()
	if err := w.Announce(t.Context()); err != nil || w.waiting() != nil {
		t.Errorf("a code that counts no more waits: %v, %+v", err, w.waiting())
	}
	wantRefused(t, "before the printed one", w.recovers(first), "not the one")
	if err := w.recovers(printed); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, "after the printed one was used", w.recovers(first), "used already")

	w.move(time.Second)
	printed = w.recoveryPrinted()
	w.move(-time.Hour) // somebody sets the clock back
	b.Signer = w.trusted(wire.HolderPerson)
	if _, err := w.NewRecovery(t.Context(), w.renewal(b)); err != nil {
		t.Fatal(err)
	}
	last := w.opened(b, w.waiting())
	wantRefused(t, "before the last one", w.recovers(printed), "not the one")
	if err := w.recovers(last); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, "after the last one was used", w.recovers(printed), "used before")
}

func (w *world) recoveryPrinted() string {
	w.t.Helper()
	code, err := approver.MakeRecovery(w.dir, w.now())
	if err != nil {
		w.t.Fatal(err)
	}
	return code
}

// TestRecovery_revokedBrowser: a code that only a lost browser could see is worth nothing once that browser is removed.
func TestRecovery_revokedBrowser(t *testing.T) {
	t.Parallel()
	w, b, code := ordered(t)
	other := w.trusted(wire.HolderPerson)
	body := wire.RevokeBody{KeyID: b.KeyID}
	r := wire.Revocation{KeyID: b.KeyID, Version: 3, Signature: w.signChange(other, wire.ChangeRevoke, body, 3)}
	if _, err := w.Revoke(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if w.waiting() != nil || w.boxes() != 0 {
		t.Error("the code waits still")
	}
	wantRefused(t, "its code", w.recovers(code), "never made one")
}
