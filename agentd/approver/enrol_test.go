package approver_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/wire"
)

// proven is an enrolment with the proof of a code.
func (w *world) proven(code string, s wire.Signer) wire.Enrolment {
	w.t.Helper()
	e := enrolment(s)
	e.Prove(w.codeKey(code), serverID)
	return e
}

// codeKey is what a code stands for.
func (w *world) codeKey(code string) []byte {
	w.t.Helper()
	key, err := wire.CodeKey(code)
	if err != nil {
		w.t.Fatal(err)
	}
	return key
}

// wantRefused fails unless the server refused with these words.
func wantRefused(t *testing.T, name string, err error, words string) {
	t.Helper()
	var no *wire.RPCError
	if !errors.As(err, &no) || !strings.Contains(no.Text, words) {
		t.Errorf("%s: %v, want a refusal with %q", name, err, words)
	}
}

func TestEnrol_firstByCode(t *testing.T) {
	t.Parallel()
	w := open(t)
	code := w.printed(nil)
	mine := signer(t)
	e := w.proven(strings.ToLower(strings.ReplaceAll(code, "-", " ")), mine) // as a person types it
	got, err := w.Enrol(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if got.Key.KeyID != mine.KeyID || got.Key.AddedBy != "code" || got.Confirm == "" || len(w.told) != 1 || len(w.told[0].Keys) != 1 {
		t.Errorf("enrolled %+v, told %+v", got, w.told)
	}
	key := w.codeKey(code)
	if err := got.Proven(key, serverID); err != nil || got.CardKey != wire.CardKey(identity) {
		t.Errorf("with which key the server signs its cards is not proven: %+v, %v", got, err)
	}
	for what, change := range map[string]func(*wire.Enrolled){
		"another key": func(e *wire.Enrolled) { e.CardKey = strings.Repeat("a", 64) }, "no proof": func(e *wire.Enrolled) { e.CardProof = "" }, "no code": func(e *wire.Enrolled) { e.Confirm = e.CardProof },
	} {
		other := got
		change(&other)
		if other.Proven(key, serverID) == nil {
			t.Errorf("%s is proven", what)
		}
	}
	if again, err := w.Enrol(t.Context(), e); err != nil || again.Key.KeyID != mine.KeyID || len(w.keys()) != 1 {
		t.Errorf("a repeat: %+v, %v", again, err)
	}
	_, err = w.Enrol(t.Context(), w.proven(code, signer(t)))
	wantRefused(t, "the code once more", err, "was used already")
	if len(w.keys()) != 1 || w.receipts("approver.enrolled") != 1 || w.receipts("approver.refused") != 1 {
		t.Errorf("%d keys", len(w.keys()))
	}
}

// TestEnrol_hub does what a hub can do that sees the request of a person: put its own key, name or kind in its place.
func TestEnrol_hub(t *testing.T) {
	t.Parallel()
	w := open(t)
	seen := w.proven(w.printed(nil), signer(t))
	for name, change := range map[string]func(*wire.Enrolment){
		"its own key":       func(e *wire.Enrolment) { e.SPKI = signer(t).SPKI() },
		"another name":      func(e *wire.Enrolment) { e.Label = "Phone" },
		"as software":       func(e *wire.Enrolment) { e.Kind = wire.SoftwareKey },
		"a guess":           func(e *wire.Enrolment) { e.Proof = "AAAA" },
		"as the recovery":   func(e *wire.Enrolment) { e.Recovery = true },
		"for staff":         func(e *wire.Enrolment) { e.Holder = wire.HolderStaff },
		"for a member":      func(e *wire.Enrolment) { e.Holder = wire.HolderMember },
		"nobody's":          func(e *wire.Enrolment) { e.Holder = "root" },
		"a made-up kind":    func(e *wire.Enrolment) { e.Kind = "any" },
		"a name to mislead": func(e *wire.Enrolment) { e.Label = "Lap\u202etop" },
		"signed by a nobody": func(e *wire.Enrolment) {
			e.Version, e.Signature = 3, w.signChange(signer(t), wire.ChangeEnrol, wire.EnrolBody{}, 3)
		},
	} {
		e := seen
		change(&e)
		if _, err := w.Enrol(t.Context(), e); err == nil {
			t.Errorf("%s: enrolled", name)
		}
	}
	if len(w.keys()) != 0 {
		t.Fatalf("%d keys", len(w.keys()))
	}
	if _, err := w.Enrol(t.Context(), seen); err != nil {
		t.Errorf("what the person sent: %v", err)
	}
}

func TestEnrol_codeEnds(t *testing.T) {
	t.Parallel()
	w := open(t)
	e := w.proven(w.printed(nil), signer(t))
	wrong := e
	wrong.Proof = "AAAA"
	for range 5 {
		_, err := w.Enrol(t.Context(), wrong)
		wantRefused(t, "wrong", err, "not the one")
	}
	_, err := w.Enrol(t.Context(), e)
	wantRefused(t, "the right one after five wrong ones", err, "too many tries")
	e = w.proven(w.printed(nil), signer(t))
	w.move(24 * time.Hour)
	_, err = w.Enrol(t.Context(), e)
	wantRefused(t, "a day later", err, "expired")
	if len(w.keys()) != 0 {
		t.Errorf("%d keys", len(w.keys()))
	}
}

func TestEnrol_second(t *testing.T) {
	t.Parallel()
	w := open(t)
	first, staff := w.trusted(wire.HolderPerson), w.trusted(wire.HolderStaff)
	_, err := w.Enrol(t.Context(), w.proven(w.printed(nil), signer(t)))
	wantRefused(t, "a bare code", err, "another device may already approve")
	for name, by := range map[string]wire.Signer{"a stranger": signer(t), "staff": staff} {
		_, err := w.Enrol(t.Context(), w.proven(w.printed(&by), signer(t)))
		wantRefused(t, "a code of "+name, err, "vouches for the code")
	}
	if _, err := w.Enrol(t.Context(), w.proven(w.printed(&first), signer(t))); err != nil {
		t.Errorf("a code that the first key signed: %v", err)
	}
	third := enrolment(signer(t))
	body := wire.EnrolBody{Holder: third.Holder, Kind: third.Kind, Label: third.Label, SPKI: third.SPKI}
	third.Version = 3
	for name, sig := range map[string]*wire.Signature{
		"an old version": w.signChange(first, wire.ChangeEnrol, body, 2),
		"another kind":   w.signChange(first, wire.ChangeRevoke, body, 3),
		"another key":    w.signChange(first, wire.ChangeEnrol, wire.EnrolBody{Holder: body.Holder, Kind: body.Kind, Label: body.Label, SPKI: first.SPKI()}, 3),
		"staff":          w.signChange(staff, wire.ChangeEnrol, body, 3),
		"itself":         nil,
	} {
		third.Signature = sig
		if _, err := w.Enrol(t.Context(), third); err == nil {
			t.Errorf("%s: enrolled", name)
		}
	}
	third.Signature = w.signChange(first, wire.ChangeEnrol, body, 3)
	w.move(6 * time.Minute)
	_, err = w.Enrol(t.Context(), third)
	wantRefused(t, "late", err, "5 minutes")
	third.Signature = w.signChange(first, wire.ChangeEnrol, body, 3)
	got, err := w.Enrol(t.Context(), third)
	if err != nil || got.Key.AddedBy != first.KeyID || len(w.keys()) != 4 {
		t.Errorf("%+v, %v, %d keys", got, err, len(w.keys()))
	}
}

// TestEnrol_recovery: with all keys lost, the code on paper enrols one more, once.
func TestEnrol_recovery(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.trusted(wire.HolderPerson)
	code, err := approver.MakeRecovery(w.dir, w.now())
	if err != nil {
		t.Fatal(err)
	}
	e := w.proven(code, signer(t))
	_, err = w.Enrol(t.Context(), e)
	wantRefused(t, "as a code", err, "was used already")
	e.Recovery = true
	got, err := w.Enrol(t.Context(), e)
	if err != nil || got.Key.AddedBy != "recovery" {
		t.Fatalf("%+v, %v", got, err)
	}
	again := w.proven(code, signer(t))
	again.Recovery = true
	_, err = w.Enrol(t.Context(), again)
	wantRefused(t, "twice", err, "was used already")
}

func TestEnrol_oddKeys(t *testing.T) {
	t.Parallel()
	w := open(t)
	key := w.codeKey(w.printed(nil))
	other, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := x509.MarshalPKIXPublicKey(&other.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	good, _ := base64.RawURLEncoding.DecodeString(signer(t).SPKI())
	for name, der := range map[string][]byte{"none": nil, "another curve": p384, "with a tail": append(good, 0), "cut": good[:len(good)-1]} {
		e := enrolment(signer(t))
		e.SPKI = base64.RawURLEncoding.EncodeToString(der)
		e.Prove(key, serverID)
		_, err := w.Enrol(t.Context(), e)
		wantRefused(t, name, err, "P-256")
	}
}

// TestMember: an owner's key lets a member's in, which then lets nobody in, sends nobody away and changes nothing, and counts
// for nothing when the last owner's key would go. Only an owner's signature sends it away.
func TestMember(t *testing.T) {
	t.Parallel()
	w := open(t)
	owner, key := w.trusted(wire.HolderPerson), signer(t)
	e := enrolment(key)
	e.Holder, e.Version = wire.HolderMember, 3
	e.Signature = w.signChange(owner, wire.ChangeEnrol, wire.EnrolBody{
		Holder: wire.HolderPerson, Kind: e.Kind,
		Label: e.Label, SPKI: e.SPKI,
	}, 3)
	_, err := w.Enrol(t.Context(), e)
	wantRefused(t, "signed for as an owner's", err, "does not hold")
	body := wire.EnrolBody{Holder: e.Holder, Kind: e.Kind, Label: e.Label, SPKI: e.SPKI}
	e.Signature = w.signChange(owner, wire.ChangeEnrol, body, 3)
	out, err := w.Enrol(t.Context(), e)
	if err != nil || out.Key.Holder != wire.HolderMember {
		t.Fatalf("%+v, %v", out.Key, err)
	}
	next := enrolment(signer(t))
	for _, holder := range []wire.Holder{wire.HolderPerson, wire.HolderMember, wire.HolderStaff} {
		next.Holder, next.Version = holder, 3
		next.Signature = w.signChange(key, wire.ChangeEnrol, wire.EnrolBody{
			Holder: holder, Kind: next.Kind,
			Label: next.Label, SPKI: next.SPKI,
		}, 3)
		_, err := w.Enrol(t.Context(), next)
		wantRefused(t, "a member lets in "+string(holder), err, "a member")
	}
	revoke := func(by wire.Signer, id string) error {
		sig := w.signChange(by, wire.ChangeRevoke, wire.RevokeBody{KeyID: id}, 3)
		_, err := w.Revoke(t.Context(), wire.Revocation{KeyID: id, Version: 3, Signature: sig})
		return err
	}
	wantRefused(t, "the last owner's", revoke(owner, owner.KeyID), "last device")
	wantRefused(t, "by a member", revoke(key, key.KeyID), "a member")
	_, err = w.Revoke(t.Context(), wire.Revocation{KeyID: key.KeyID, Version: 3})
	wantRefused(t, "unsigned", err, "no device that may approve has signed it")
	_, err = w.Enrol(t.Context(), w.proven(w.printed(&key), signer(t)))
	wantRefused(t, "a code that a member signed", err, "vouches for the code")
	if err := revoke(owner, key.KeyID); err != nil {
		t.Error(err)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	w := open(t)
	one, staff := w.trusted(wire.HolderPerson), w.trusted(wire.HolderStaff)
	revoke := func(by wire.Signer, id string) error {
		_, err := w.Revoke(t.Context(), wire.Revocation{KeyID: id, Version: 3, Signature: w.signChange(by, wire.ChangeRevoke, wire.RevokeBody{KeyID: id}, 3)})
		return err
	}
	wantRefused(t, "the last", revoke(one, one.KeyID), "last device")
	two := w.trusted(wire.HolderPerson)
	wantRefused(t, "by staff", revoke(staff, one.KeyID), "staff")
	wantRefused(t, "by a stranger", revoke(signer(t), one.KeyID), "may not approve")
	_, err := w.Revoke(t.Context(), wire.Revocation{KeyID: one.KeyID, Version: 3})
	wantRefused(t, "unsigned", err, "no device that may approve has signed it")
	if err := revoke(one, staff.KeyID); err != nil {
		t.Error(err)
	}
	if err := revoke(two, one.KeyID); err != nil {
		t.Error(err)
	}
	if keys := w.keys(); len(keys) != 1 || keys[0].KeyID != two.KeyID || w.receipts("approver.revoked") != 2 {
		t.Errorf("%+v", keys)
	}
}

// TestRevoke_staffUnsigned: a key of staff goes when the owner says so, on any device; no other key does, and a signature
// that is there must hold.
func TestRevoke_staffUnsigned(t *testing.T) {
	t.Parallel()
	w := open(t)
	one, two, staff := w.trusted(wire.HolderPerson), w.trusted(wire.HolderPerson), w.trusted(wire.HolderStaff)
	revoke := func(id string, sig *wire.Signature) error {
		_, err := w.Revoke(t.Context(), wire.Revocation{KeyID: id, Version: 3, Signature: sig})
		return err
	}
	wantRefused(t, "a person's", revoke(two.KeyID, nil), "no device that may approve has signed it")
	wantRefused(t, "signed by staff", revoke(staff.KeyID, w.signChange(staff, wire.ChangeRevoke, wire.RevokeBody{KeyID: staff.KeyID}, 3)), "staff")
	wantRefused(t, "signed for another", revoke(staff.KeyID, w.signChange(one, wire.ChangeRevoke, wire.RevokeBody{KeyID: two.KeyID}, 3)), "does not hold")
	if err := revoke(staff.KeyID, nil); err != nil {
		t.Error(err)
	}
	if keys := w.keys(); len(keys) != 2 || w.receipts("approver.revoked") != 1 || w.receipts("approver.refused") != 3 || len(w.told[len(w.told)-1].Keys) != 2 {
		t.Errorf("%+v, told %+v", keys, w.told)
	}
	wantRefused(t, "twice", revoke(staff.KeyID, nil), "may not approve")
}
