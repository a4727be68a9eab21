package vault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

const day = 24 * time.Hour

// replace makes so many new versions of a secret.
func (w *world) replace(name string, n int) {
	w.t.Helper()
	for range n {
		if _, err := w.Generate(w.t.Context(), vault.New{Name: name, By: "owner"}, wire.SecretConstraints{}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestFormer_staysRedacted: however many values come after it, one that was in use within the last 90 days is still taken
// out of texts, over restarts too; whoever may make new values cannot make redaction forget one that still opens
// something. What was given up longer ago goes by the count.
func TestFormer_staysRedacted(t *testing.T) {
	t.Parallel()
	w := open(t)
	const name, first = "crm.password", "Tulip-Meadow-Harbor"
	w.put(name, first)
	w.move(400 * day) // in use for long: its age says nothing
	e := redact.New()
	if err := w.Subscribe(func(all []redact.Known) { e.SetSecrets(all) }); err != nil {
		t.Fatal(err)
	}
	w.replace(name, 30)
	if text := e.Text("signed in as crm with " + first + ", and it worked"); text != "signed in as crm with [SECRET:crm.password], and it worked" {
		t.Error(text)
	}
	w.move(89 * day)
	if err := w.again(); err != nil {
		t.Fatal(err)
	}
	w.replace(name, 2)
	if known, err := w.Known(t.Context()); err != nil || len(known) != 33 || !has(known, first) {
		t.Errorf("%d known after 89 days, %v", len(known), err)
	}
	w.move(-500 * day) // a clock that is set back keeps more, not less
	w.replace(name, 1)
	if known, err := w.Known(t.Context()); err != nil || len(known) != 34 {
		t.Errorf("%d known by a clock that was set back, %v", len(known), err)
	}
	w.move(502 * day)
	w.replace(name, 1)
	if known, err := w.Known(t.Context()); err != nil || len(known) != 20 || has(known, first) {
		t.Errorf("%d known after 91 days, %v", len(known), err)
	}
}

// TestFormer_bounded: what the operator or an external vault change without end does not fill the machine.
func TestFormer_bounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, left int
		ago     time.Duration
	}{{10, 10, 400 * day}, {1900, 1900, day}, {1900, 20, 91 * day}, {5000, 2000, day}} {
		if left := vault.Kept(c.n, c.ago); left != c.left {
			t.Errorf("of %d versions, former for %s, %d stay", c.n, c.ago, left)
		}
	}
}

// TestSparing: who is not on the server itself gives a secret twenty new values a day; nothing is kept of the next one.
func TestSparing(t *testing.T) {
	t.Parallel()
	w := open(t)
	const name = "crm.password"
	spare := w.Sparing(t.Context(), name)
	put := func(value string) error {
		_, err := w.Put(t.Context(), vault.New{Name: name, Value: secret.New(canary(value)), By: "owner"}, spare)
		return err
	}
	w.replace(name, 19)
	if err := put("twentieth"); err != nil {
		t.Fatal(err)
	}
	if err := put("one more"); !errors.Is(err, vault.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	if known, err := w.Known(t.Context()); err != nil || len(known) != 20 || has(known, canary("one more")) {
		t.Errorf("%d known, %v", len(known), err)
	}
	w.move(-2 * day)
	if err := put("earlier"); !errors.Is(err, vault.ErrTooMany) {
		t.Errorf("a clock that was set back: %v", err)
	}
	w.move(2*day + 23*time.Hour)
	if err := put("same day"); !errors.Is(err, vault.ErrTooMany) {
		t.Errorf("within the day: %v", err)
	}
	w.move(2 * time.Hour)
	if err := put("next day"); err != nil {
		t.Errorf("the next day: %v", err)
	}
}

// TestSparing_allNames: nor can it be done by way of many names: those on the server itself go on meanwhile.
func TestSparing_allNames(t *testing.T) {
	t.Parallel()
	w := open(t)
	give := func(name string, also ...vault.Also) error {
		_, err := w.Put(t.Context(), vault.New{Name: name, Value: secret.New(canary(name + "-value")), By: "owner"}, also...)
		return err
	}
	spared := func(name string) error { return give(name, w.Sparing(t.Context(), name)) }
	w.fill(0, 250) // from a file, which nobody else can bring: that does not count as values of a day
	for i := range 200 {
		if err := spared(fmt.Sprintf("new%d.key", i%100)); err != nil {
			t.Fatal(i, err)
		}
	}
	refused := func(name, words string) {
		t.Helper()
		before, err := w.Known(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := spared(name); !errors.Is(err, vault.ErrTooMany) || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), "nothing") {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := w.Known(t.Context()); err != nil || len(after) != len(before) {
			t.Errorf("%s: %d known instead of %d, %v", name, len(after), len(before), err)
		}
	}
	refused("other.key", "200 new values")
	refused("new7.key", "200 new values")
	if err := give("other.key"); err != nil {
		t.Errorf("the operator is held back: %v", err)
	}
	w.move(25 * time.Hour)
	if err := spared("next.key"); err != nil {
		t.Errorf("the next day: %v", err)
	}
	w.fill(250, 898)
	refused("one-more.key", "1000 secrets")
	if err := spared("new7.key"); err != nil {
		t.Errorf("a secret that is there gets no new value: %v", err)
	}
	if err := w.Remove(t.Context(), "new7.key", "owner"); err != nil {
		t.Fatal(err)
	}
	if err := spared("one-more.key"); err != nil {
		t.Errorf("a secret that was removed counts: %v", err)
	}
	refused("yet-another.key", "1000 secrets")
	if err := give("yet-another.key"); err != nil {
		t.Errorf("the operator is held back: %v", err)
	}
}

// fill takes values from a file, each of a secret of its own.
func (w *world) fill(from, to int) {
	w.t.Helper()
	var lines []byte
	for i := from; i < to; i++ {
		lines = fmt.Appendf(lines, "TOOL%d_KEY=%s\n", i, canary(fmt.Sprint(i)))
	}
	if _, err := w.Import(w.t.Context(), lines, vault.FromOwner, "operator", "import"); err != nil {
		w.t.Fatal(err)
	}
}
