package vault_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// world is a vault in a state directory of its own.
type world struct {
	t   *testing.T
	dir string
	db  *store.DB
	*vault.Vault
	later atomic.Int64 // nanoseconds by which the vault's clock is ahead
}

// now is the vault's clock.
func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.later.Load())) }

// move lets time pass.
func (w *world) move(d time.Duration) { w.later.Add(int64(d)) }

func open(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	if err := os.Chmod(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	storetest.Seed(t, w.dir)
	if err := w.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.stop() })
	return w
}

// beside is the vault as another process opens it, the command line for one.
func (w *world) beside() *vault.Vault {
	w.t.Helper()
	db, err := store.OpenBeside(w.dir, time.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	})
	other, err := vault.Open(w.t.Context(), db, vault.Keys{Dir: w.dir}, time.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	return other
}

func (w *world) start() error {
	db, err := store.Open(w.dir, time.Now)
	if err != nil {
		return err
	}
	w.db = db
	w.Vault, err = vault.Open(w.t.Context(), db, vault.Keys{Dir: w.dir}, w.now)
	return err
}

func (w *world) stop() {
	if w.db == nil {
		return
	}
	if err := w.db.Close(); err != nil {
		w.t.Error(err)
	}
	w.db = nil
}

// again is a restart.
func (w *world) again() error {
	w.stop()
	return w.start()
}

// put keeps a value.
func (w *world) put(name, value string) wire.SecretInfo {
	w.t.Helper()
	i, err := w.Put(w.t.Context(), vault.New{Name: name, Value: secret.New(value), Source: vault.FromOwner, By: "owner"})
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

// canary is a value that is found again wherever it lies.
func canary(word string) string { return "canary-" + strings.Repeat(word+"-", 4) + "end" }

// has says whether redaction knows the value.
func has(known []redact.Known, value string) bool {
	for _, k := range known {
		if k.Value == value {
			return true
		}
	}
	return false
}

func TestPut_versions(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, v := range []string{"one", "two", "three", "four", "five", "six", "seven"} {
		w.put("ghost.admin_key", canary(v))
	}
	i, err := w.Info(t.Context(), "ghost.admin_key")
	if err != nil || i.Version != 7 || len(i.Versions) != 5 || i.Versions[0].State != "current" || i.Versions[4].N != 3 || i.Kind != vault.KindAPIKey || i.Ref != "SECRET_REF(ghost.admin_key)" {
		t.Fatalf("%+v, %v", i, err)
	}
	if err := w.again(); err != nil {
		t.Fatal(err)
	}
	i, err = w.Rollback(t.Context(), "ghost.admin_key", 3, "owner")
	if err != nil || i.Version != 8 {
		t.Fatalf("%+v, %v", i, err)
	}
	if _, err := w.Rollback(t.Context(), "ghost.admin_key", 2, "owner"); !errors.Is(err, vault.ErrUnknown) {
		t.Errorf("a version beyond the last five: %v", err)
	}
	known, err := w.Known(t.Context())
	if err != nil || !has(known, canary("one")) || !has(known, canary("seven")) || len(known) != 8 {
		t.Errorf("%d known, %v: former values must stay redacted", len(known), err)
	}
}

// TestSubscribe_beforePutReturns: when an act returns, redaction has the value, and still has the former one.
func TestSubscribe_beforePutReturns(t *testing.T) {
	t.Parallel()
	w := open(t)
	var known []redact.Known
	if err := w.Subscribe(func(k []redact.Known) { known = k }); err != nil {
		t.Fatal(err)
	}
	w.put("a.b", canary("first"))
	if !has(known, canary("first")) {
		t.Error("put returned before redaction knew")
	}
	w.put("a.b", canary("second"))
	if !has(known, canary("first")) || !has(known, canary("second")) {
		t.Error("a former value is no longer redacted")
	}
	if err := w.Remove(t.Context(), "a.b", "owner"); err != nil || !has(known, canary("second")) {
		t.Errorf("a removed value is no longer redacted: %v", err)
	}
	before := len(known)
	if _, err := w.Generate(t.Context(), vault.New{Name: "c.d", By: "owner"}, wire.SecretConstraints{}); err != nil || len(known) != before+1 {
		t.Errorf("a generated value is not redacted: %v", err)
	}
}

// TestFiles_holdNoValue looks at every byte of the state directory, while the vault is open and after.
func TestFiles_holdNoValue(t *testing.T) {
	t.Parallel()
	w := open(t)
	values := []string{canary("alpha"), canary("käse"), "line one\nline two of " + canary("beta")}
	for i, v := range values {
		w.put("tool.key"+string(rune('a'+i)), v)
	}
	look := func() {
		err := filepath.WalkDir(w.dir, func(p string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(p)
			for _, v := range values {
				if strings.Contains(string(b), v) {
					t.Errorf("%s holds a value", e.Name())
				}
			}
			info, _ := e.Info()
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v", e.Name(), info.Mode())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	look()
	if err := w.again(); err != nil {
		t.Fatal(err)
	}
	look()
}

// TestPrinting_holdsNoValue prints a vault with all it holds.
func TestPrinting_holdsNoValue(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put("a.b", canary("printed"))
	i, err := w.Info(t.Context(), "a.b")
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(w.dir, "vault.key"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("all", "vault", w.Vault, "info", i)
	_, err = w.Put(t.Context(), vault.New{Name: "Bad Name", Value: secret.New(canary("printed"))})
	b.WriteString(err.Error())
	if strings.Contains(b.String(), canary("printed")) || strings.Contains(b.String(), strings.TrimSpace(string(key))) {
		t.Error(b.String())
	}
}

func TestPut_refusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	for what, n := range map[string]vault.New{
		"no dot":       {Name: "ghost", Value: secret.New("x")},
		"upper case":   {Name: "Ghost.key", Value: secret.New("x")},
		"a path":       {Name: "../x.y", Value: secret.New("x")},
		"empty":        {Name: "a.b", Value: secret.New("")},
		"not text":     {Name: "a.b", Value: secret.New("\xff")},
		"NUL":          {Name: "a.b", Value: secret.New("a\x00b")},
		"too long":     {Name: "a.b", Value: secret.New(strings.Repeat("x", 40<<10))},
		"unknown kind": {Name: "a.b", Value: secret.New("x"), Kind: "magic"},
	} {
		if _, err := w.Put(t.Context(), n); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if all, err := w.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("kept: %v, %v", all, err)
	}
}

// TestClip: a purpose is cut between characters.
func TestClip(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 499)
	for in, want := range map[string]string{"rotation": "rotation", long + "y": long + "y", long + "é": long, long + "yz": long + "y"} {
		if got := vault.Clip(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestKeyModes(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put("a.b", canary("x"))
	w.stop()
	path := filepath.Join(w.dir, "vault.key")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := w.start(); !errors.Is(err, store.ErrModes) {
		t.Errorf("a key that others may read: %v", err)
	}
	w.stop()
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	creds := t.TempDir()
	if err := os.WriteFile(filepath.Join(creds, "vault.key"), make([]byte, 32), 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(w.dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.db = db
	if _, err := vault.Open(t.Context(), db, vault.Keys{Dir: w.dir, Credentials: creds}, time.Now); !errors.Is(err, vault.ErrModes) {
		t.Errorf("a credential that others may read: %v", err)
	}
}

func TestKeys_missing(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put("a.b", canary("x"))
	w.stop()
	path := filepath.Join(w.dir, "vault.key")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := w.start(); !errors.Is(err, vault.ErrKey) {
		t.Errorf("without its key: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a new key was made for an old vault")
	}
	w.stop()
	creds := t.TempDir()
	if err := os.WriteFile(filepath.Join(creds, "vault.key"), old, 0o400); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(w.dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.db = db
	if _, err := vault.Open(t.Context(), db, vault.Keys{Dir: w.dir, Credentials: creds}, time.Now); err != nil {
		t.Errorf("with its key as a credential: %v", err)
	}
}

// TestPassphrase: parameters are kept with the vault; only the right words open it.
func TestPassphrase(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put("a.b", canary("x"))
	short := secret.New("девять сини") // 11 characters in 21 bytes
	if err := w.Rekey(t.Context(), &short, "operator"); !errors.Is(err, vault.ErrInvalid) {
		t.Errorf("a passphrase of 11 characters: %v", err)
	}
	words := secret.New("nine blue cows sing low")
	if err := w.Rekey(t.Context(), &words, "operator"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "vault.key")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the former key still lies there: %v", err)
	}
	w.put("a.c", canary("y"))
	w.stop()
	for given, want := range map[string]error{"nine blue cows sing low": nil, "nine blue cows sing high": vault.ErrKey, "": vault.ErrKey} {
		db, err := store.Open(w.dir, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		keys := vault.Keys{Dir: w.dir, Passphrase: func() (secret.Value, error) { return secret.New(given), nil }}
		v, err := vault.Open(context.Background(), db, keys, time.Now)
		if !errors.Is(err, want) {
			t.Errorf("%q: %v", given, err)
		}
		if err == nil {
			if known, err := v.Known(t.Context()); err != nil || len(known) != 2 {
				t.Errorf("%d known, %v", len(known), err)
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := w.start(); !errors.Is(err, vault.ErrKey) {
		t.Errorf("nobody to ask: %v", err)
	}
}
