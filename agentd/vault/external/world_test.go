package external_test

import (
	"crypto/rand"
	"encoding/pem"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/external"
	"gatehouse/agentd/vault/external/fakekv"
	"gatehouse/agentd/wire"
)

const (
	name  = "crm.api_key"
	path  = "apps/crm"
	field = "api key"
	place = path + "#" + field
)

// clock is one that both sides share.
type clock struct {
	mu    sync.Mutex
	later time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.later)
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.later += d
}

// world is a local vault, an external one and what follows it.
type world struct {
	*clock
	t   *testing.T
	dir string // the state directory; outside of it lie the credentials
	kv  *fakekv.Server
	cfg external.Config
	db  *store.DB
	*vault.Vault
	f *external.Follower

	mu  sync.Mutex
	log strings.Builder
}

// Write keeps the log.
func (w *world) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(line)
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.String()
}

// open makes a world over TLS in which one secret comes from the external vault, by a token that does not end.
func open(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, clock: &clock{}, dir: t.TempDir()}
	w.fail(os.Chmod(w.dir, 0o700))
	w.kv = fakekv.New(t, true, w.now)
	w.cfg = external.Config{
		Address: w.kv.URL, Mount: fakekv.Mount, Namespace: fakekv.Namespace, Login: fakekv.Login, Every: time.Minute, MaxAge: 24 * time.Hour,
		CAFile:    w.file("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.kv.Certificate().Raw})), 0o644),
		TokenFile: w.file("token", w.kv.Token(0, 0, false)+"\n", 0o600),
	}
	storetest.Seed(w.t, w.dir)
	var err error
	w.db, err = store.Open(w.dir, w.now)
	w.fail(err)
	t.Cleanup(func() { w.fail(w.db.Close()) })
	w.Vault, err = vault.Open(t.Context(), w.db, vault.Keys{Dir: w.dir}, w.now)
	w.fail(err)
	w.source(name, place)
	w.follow()
	return w
}

// follow makes the follower anew, as a restart does.
func (w *world) follow() {
	w.t.Helper()
	if wrong := w.cfg.Check(); len(wrong) > 0 {
		w.t.Fatal(wrong)
	}
	var err error
	w.f, err = external.New(w.cfg, w.Vault, w.now, slog.New(slog.NewJSONHandler(w, nil)))
	w.fail(err)
}

// byRole lets agentd in by AppRole.
func (w *world) byRole(ttl, most time.Duration) (roleID string) {
	w.t.Helper()
	roleID, secretID := w.kv.Role(ttl, most)
	w.cfg.TokenFile, w.cfg.RoleID, w.cfg.SecretIDFile = "", roleID, w.file("secret-id", secretID+"\n", 0o600)
	w.follow()
	return roleID
}

func (w *world) fail(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// file writes one beside the state directory.
func (w *world) file(base, text string, mode os.FileMode) string {
	w.t.Helper()
	p := filepath.Join(filepath.Dir(w.dir), filepath.Base(w.dir)+"-"+base)
	w.fail(os.WriteFile(p, []byte(text), mode))
	w.fail(os.Chmod(p, mode))
	return p
}

func (w *world) source(name, place string) {
	w.t.Helper()
	_, err := w.SetOrigin(w.t.Context(), name, "", place, "operator")
	w.fail(err)
}

// put writes a value there and gives it.
func (w *world) put() string {
	w.t.Helper()
	v := "canary-" + rand.Text()
	w.kv.Put(path, map[string]any{field: v, "other": "x"})
	return v
}

func (w *world) look() {
	w.t.Helper()
	w.fail(w.f.Look(w.t.Context(), 0))
}

// uses expects that the value may be used.
func (w *world) uses(want string) {
	w.t.Helper()
	got, err := w.Own(w.t.Context(), name, "test")
	if err != nil || got.Reveal() != want {
		w.t.Fatalf("another value, or %v", err)
	}
}

// refuses expects that it may not, and that the reason holds these words.
func (w *world) refuses(words string) {
	w.t.Helper()
	var why *vault.UnusableError
	got, err := w.Own(w.t.Context(), name, "test")
	if !errors.As(err, &why) || !strings.Contains(err.Error(), words) || !got.Empty() {
		w.t.Fatalf("%v instead of %q", err, words)
	}
}

func (w *world) info() wire.SecretInfo {
	w.t.Helper()
	i, err := w.Info(w.t.Context(), name)
	w.fail(err)
	return i
}

// knows says whether redaction knows a value.
func (w *world) knows(value string) bool {
	w.t.Helper()
	all, err := w.Known(w.t.Context())
	w.fail(err)
	for _, k := range all {
		if k == (redact.Known{Name: name, Value: value}) {
			return true
		}
	}
	return false
}

// leaks says where one of the words stands that must stand nowhere.
func (w *world) leaks(words ...string) (where []string) {
	w.t.Helper()
	for _, word := range words {
		if strings.Contains(w.logged(), word) {
			where = append(where, "log")
		}
	}
	w.fail(filepath.WalkDir(w.dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		for _, word := range words {
			if strings.Contains(string(b), word) {
				where = append(where, e.Name())
			}
		}
		return err
	}))
	return where
}
