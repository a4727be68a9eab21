package approver_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/wire"
)

// seed is the first key of a browser, as the installer leaves it.
func seed(s wire.Signer) wire.Seed {
	return wire.Seed{SPKI: s.SPKI(), Kind: wire.BrowserKey, Label: "Browser that ordered", Address: "Owner@example.com"}
}

// leave puts a seed where a start looks for it.
func (w *world) leave(s any) {
	w.t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		w.t.Fatal(err)
	}
	w.leaveText(string(raw), 0o600)
}

func (w *world) leaveText(text string, mode os.FileMode) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, approver.SeedFile), []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
}

// begin is a start of the server, after which no seed may lie there.
func (w *world) begin(registered bool) {
	w.t.Helper()
	if err := w.Begin(w.t.Context(), registered); err != nil {
		w.t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(w.dir, approver.SeedFile)); !os.IsNotExist(err) {
		w.t.Fatalf("the seed lies there still: %v", err)
	}
}

// wantSeedRefused fails unless there are as many keys as before, and one more receipt of a refusal with these words.
func (w *world) wantSeedRefused(name, words string, keys int) {
	w.t.Helper()
	var body string
	const newest = "SELECT body FROM receipts WHERE type = 'approver.refused' ORDER BY seq DESC LIMIT 1"
	err := w.db.Read().QueryRowContext(w.t.Context(), newest).Scan(&body)
	if err != nil || !strings.Contains(body, words) || !strings.Contains(body, `"seed"`) {
		w.t.Errorf("%s: receipt %s, %v; want a refusal with %q", name, body, err, words)
	}
	if n := w.receipts("approver.refused"); n != 1 || len(w.keys()) != keys {
		w.t.Errorf("%s: %d refusals, %d keys, want 1 and %d", name, n, len(w.keys()), keys)
	}
}

func TestBegin_takesTheSeed(t *testing.T) {
	t.Parallel()
	w := open(t)
	mine := signer(t)
	w.leave(seed(mine))
	w.begin(false)
	all := w.keys()
	want := wire.ApproverKey{
		KeyID: mine.KeyID, SPKI: mine.SPKI(), Kind: wire.BrowserKey, Holder: wire.HolderPerson, Label: "Browser that ordered",
		AddedBy: "order", CreatedAt: w.now(),
	}
	if len(all) != 1 || all[0] != want {
		t.Fatalf("keys %+v, want %+v", all, want)
	}
	var body string
	err := w.db.Read().QueryRowContext(t.Context(), "SELECT body FROM receipts WHERE type = 'approver.enrolled'").Scan(&body)
	for _, says := range []string{mine.KeyID, `"added_by":"order"`, "Owner@example.com"} {
		if err != nil || !strings.Contains(body, says) {
			t.Errorf("receipt %s, %v; want %s in it", body, err, says)
		}
	}
	if len(w.told) != 0 {
		t.Errorf("the hub was told before this server was registered: %+v", w.told)
	}
	if err := w.Announce(t.Context()); err != nil || len(w.told) != 1 || w.told[0].Vouched == nil {
		t.Fatalf("announced %+v, %v", w.told, err)
	}
	list, err := wire.KeyList(w.told[0].Keys)
	if err != nil || string(list) != `[{"holder":"person","key_id":"`+mine.KeyID+`","kind":"browser"}]` {
		t.Errorf("list %s, %v", list, err)
	}
	vouched, err := wire.VouchKeys(serverID, w.told[0].Keys, identity)
	if err != nil || *w.told[0].Vouched != *vouched || vouched.Key != wire.CardKey(identity) {
		t.Errorf("vouched %+v, want %+v, %v", w.told[0].Vouched, vouched, err)
	}
	second := enrolment(signer(t))
	body2 := wire.EnrolBody{Holder: second.Holder, Kind: second.Kind, Label: second.Label, SPKI: second.SPKI}
	second.Version, second.Signature = w.version, w.signChange(mine, wire.ChangeEnrol, body2, w.version)
	if _, err := w.Enrol(t.Context(), second); err != nil {
		t.Errorf("the key of the order cannot vouch for another: %v", err)
	}
}

// TestBegin_twice: a second seed never adds a key, also before the server is registered.
func TestBegin_twice(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := signer(t)
	w.leave(seed(first))
	w.begin(false)
	w.leave(seed(signer(t)))
	w.begin(false)
	w.wantSeedRefused("a second seed", "an approver key already", 1)
	w.begin(true) // nothing lies there: nothing happens
	w.wantSeedRefused("a start without one", "an approver key already", 1)
}

// TestBegin_killedBeforeItIsRemoved: the same file found again after the key was taken is the same seed, not a second one.
func TestBegin_killedBeforeItIsRemoved(t *testing.T) {
	t.Parallel()
	w := open(t)
	s := seed(signer(t))
	for range 3 {
		w.leave(s)
		w.begin(false)
	}
	if len(w.keys()) != 1 || w.receipts("approver.enrolled") != 1 || w.receipts("approver.refused") != 0 {
		t.Errorf("%d keys, %d enrolled, %d refused", len(w.keys()), w.receipts("approver.enrolled"), w.receipts("approver.refused"))
	}
	w.leave(s)
	w.begin(true)
	w.wantSeedRefused("once it is registered", "registered already", 1)
}

// TestBegin_refused leaves seeds at any time but the first start.
func TestBegin_refused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before     func(w *world)
		registered bool
		words      string
		keys       int
	}{
		"registered already":    {func(*world) {}, true, "registered already", 0},
		"started without one":   {func(w *world) { w.begin(false) }, false, "started before", 0},
		"a key by another way":  {func(w *world) { w.trusted(wire.HolderPerson) }, false, "an approver key already", 1},
		"a key of staff":        {func(w *world) { w.trusted(wire.HolderStaff) }, false, "an approver key already", 1},
		"its only key is taken": {func(w *world) { w.retire(w.trusted(wire.HolderPerson).KeyID) }, false, "an approver key already", 0},
	} {
		w := open(t)
		c.before(w)
		w.leave(seed(signer(t)))
		w.begin(c.registered)
		w.wantSeedRefused(name, c.words, c.keys)
		w.leave(seed(signer(t)))
		w.begin(true)
		if len(w.keys()) != c.keys {
			t.Errorf("%s: a later seed was taken", name)
		}
	}
}

// TestBegin_revoked: the key of the seed itself does not come back with the same file once it was revoked.
func TestBegin_revoked(t *testing.T) {
	t.Parallel()
	w := open(t)
	mine := signer(t)
	w.leave(seed(mine))
	w.begin(false)
	w.retire(mine.KeyID)
	w.leave(seed(mine))
	w.begin(false)
	w.wantSeedRefused("a revoked key", "an approver key already", 0)
}

// retire revokes a key past all rules.
func (w *world) retire(id string) {
	w.t.Helper()
	w.write(func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), "UPDATE approver_keys SET revoked_at = 1 WHERE key_id = ?", id)
		return err
	})
}

// TestBegin_malformed: what is not exactly a seed adds nothing, and the next start takes no better one.
func TestBegin_malformed(t *testing.T) {
	t.Parallel()
	of := func(key any) string {
		der, err := x509.MarshalPKIXPublicKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(der)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	good := seed(signer(t))
	with := func(change func(*wire.Seed)) string {
		s := good
		change(&s)
		raw, _ := json.Marshal(s) // strings always have JSON
		return string(raw)
	}
	text := with(func(*wire.Seed) {})
	for name, c := range map[string]struct {
		text, words string
		mode        os.FileMode
	}{
		"empty":             {"", "cannot be read", 0o600},
		"no JSON":           {"key", "cannot be read", 0o600},
		"cut":               {text[:len(text)-1], "cannot be read", 0o600},
		"two":               {text + text, "cannot be read", 0o600},
		"more than a seed":  {strings.Replace(text, "{", `{"holder":"staff",`, 1), "cannot be read", 0o600},
		"too long":          {text + strings.Repeat(" ", 5000), "cannot be read", 0o600},
		"no key":            {with(func(s *wire.Seed) { s.SPKI = "" }), "not one of P-256", 0o600},
		"RSA":               {with(func(s *wire.Seed) { s.SPKI = of(&rsaKey.PublicKey) }), "not one of P-256", 0o600},
		"another curve":     {with(func(s *wire.Seed) { s.SPKI = of(&p384.PublicKey) }), "not one of P-256", 0o600},
		"Ed25519":           {with(func(s *wire.Seed) { s.SPKI = of(identity.Public().(ed25519.PublicKey)) }), "not one of P-256", 0o600},
		"a tail":            {with(func(s *wire.Seed) { s.SPKI += "AA" }), "not one of P-256", 0o600},
		"a passkey":         {with(func(s *wire.Seed) { s.Kind = wire.PasskeyKey }), "passkey", 0o600},
		"software":          {with(func(s *wire.Seed) { s.Kind = wire.SoftwareKey }), "none that comes with an order", 0o600},
		"a name to mislead": {with(func(s *wire.Seed) { s.Label = "Lap\u202etop" }), "one line", 0o600},
		"open to others":    {text, "open to others", 0o644},
	} {
		w := open(t)
		w.leaveText(c.text, c.mode)
		w.begin(false)
		w.wantSeedRefused(name, c.words, 0)
		w.leave(good)
		w.begin(false)
		if len(w.keys()) != 0 {
			t.Errorf("%s: the next start took another seed", name)
		}
	}
}

// TestBegin_notAFile: links, folders and pipes under the name are removed, never followed or waited for.
func TestBegin_notAFile(t *testing.T) {
	t.Parallel()
	elsewhere := filepath.Join(t.TempDir(), "seed")
	raw, err := json.Marshal(seed(signer(t)))
	if err == nil {
		err = os.WriteFile(elsewhere, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func(path string) error{
		"a link":   func(path string) error { return os.Symlink(elsewhere, path) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		w := open(t)
		if err := put(filepath.Join(w.dir, approver.SeedFile)); err != nil {
			t.Fatal(err)
		}
		w.begin(false)
		if len(w.keys()) != 0 || w.receipts("approver.refused") != 1 {
			t.Errorf("%s: %d keys, %d refusals", name, len(w.keys()), w.receipts("approver.refused"))
		}
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Errorf("what the link led to: %v", err)
	}
}

// TestOrdered: the address that ordered counts once, and only of a seed that was taken.
func TestOrdered(t *testing.T) {
	t.Parallel()
	ordered := func(w *world, address string) (yes bool) {
		w.write(func(tx *sql.Tx) (err error) {
			yes, err = w.Ordered(context.Background(), tx, func(a string) bool { return a == address })
			return err
		})
		return yes
	}
	w := open(t)
	w.leave(seed(signer(t)))
	w.begin(false)
	if ordered(w, "evil@evil.example") || !ordered(w, "Owner@example.com") || ordered(w, "Owner@example.com") {
		t.Error("not exactly the address that ordered, exactly once")
	}
	none, refused := open(t), open(t)
	none.begin(false)
	refused.leaveText("no seed", 0o600)
	refused.begin(false)
	if ordered(none, "") || ordered(refused, "") || ordered(open(t), "") {
		t.Error("an address without a seed")
	}
}
