package vault_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
)

// swept is one act of the vault, and what must hold of it after any death.
type swept struct {
	act    string
	points []string // that it must pass, besides those of the store
	again  string   // where the next life is killed too
	begin  func(w *world) (with string)
	holds  func(w *world, with string, done bool) error
}

var sweeps = []swept{
	{"rotate", []string{"vault-rotate-staged", "vault-rotate-applied", "vault-rotate-verified"}, "vault-rotate-verified:1", beginRotate, rotateHolds},
	{"rekey", []string{"vault-rekey-staged", "vault-rekey-committed"}, "vault-rekey-staged:1", beginRekey, rekeyHolds},
	{"take", []string{"vault-seed-committed", "vault-seed-renamed"}, "vault-seed-renamed:1", beginSeed, seedHolds},
	{"follow", []string{"vault-follow"}, "vault-follow:1", beginFollow, followHolds},
}

// TestSweep kills a real process at every fail point of every act, each time it is hit, lets the next one die too, and
// then lets one end. After each death the vault opens and holds together. The points take turns.
func TestSweep(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "victim")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "failpoint", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, s := range sweeps {
		t.Run(s.act, func(t *testing.T) {
			t.Parallel()
			points := s.passed(t, bin)
			for _, p := range s.points {
				if !slices.Contains(points, p+":1") {
					t.Errorf("%s is not among what was passed: %v", p, points)
				}
			}
			for _, p := range seeded.Part(t, points) {
				s.dies(t, bin, p)
			}
		})
	}
}

// passed lists every hit of an undisturbed life, as name:k.
func (s swept) passed(t *testing.T, bin string) []string {
	w := open(t)
	with := s.begin(w)
	w.stop()
	trace := filepath.Join(t.TempDir(), "trace")
	if s.lives(t, bin, w, with, "FAILPOINT_TRACE="+trace) {
		t.Fatal("it was killed by nobody")
	}
	s.check(t, "nothing", w, with, true)
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	var points []string
	hits := map[string]int{}
	for name := range strings.FieldsSeq(string(b)) {
		hits[name]++
		points = append(points, fmt.Sprintf("%s:%d", name, hits[name]))
	}
	return points
}

// dies lets three processes have their turn with one vault: two are killed, the third ends.
func (s swept) dies(t *testing.T, bin, point string) {
	w := open(t)
	with := s.begin(w)
	w.stop()
	if !s.lives(t, bin, w, with, "FAILPOINT="+point) {
		t.Errorf("%s was not hit again", point)
	}
	s.check(t, point, w, with, false)
	s.lives(t, bin, w, with, "FAILPOINT="+s.again) // where nothing is left to do, it ends
	s.check(t, point+", "+s.again, w, with, false)
	if s.lives(t, bin, w, with) {
		t.Error("it was killed by nobody")
	}
	s.check(t, point+", "+s.again+", the end", w, with, true)
}

// lives runs the act once, and says whether the process was killed in it.
func (s swept) lives(t *testing.T, bin string, w *world, with string, env ...string) (killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin)
	cmd.Env = append(append(os.Environ(), victimEnv+"=once "+s.act+"="+with+":"+w.dir), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		t.Fatalf("%v: %v %s", env, err, &said)
	}
	return false
}

// check opens the vault as the next process does, and closes it again.
func (s swept) check(t *testing.T, after string, w *world, with string, done bool) {
	t.Helper()
	if err := w.start(); err != nil {
		t.Fatalf("killed at %s: %v", after, err)
	}
	w.UseFetched(0)
	if err := s.holds(w, with, done); err != nil {
		t.Errorf("killed at %s: %v", after, err)
	}
	w.stop()
}

// noted counts the entries of the audit about one act on a secret.
func (w *world) noted(name, act string) (n int) {
	w.t.Helper()
	audit, err := w.Audit(w.t.Context(), wire.SecretAuditParams{Name: name, Limit: 50})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, i := range audit.Items {
		if i.Act == act {
			n++
		}
	}
	return n
}

func beginRotate(w *world) string {
	w.put("crm.password", canary("first"))
	file := filepath.Join(w.t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(canary("first")), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return file
}

// rotateHolds: what the service takes is known to redaction before anything is settled, and what is current signs in
// after. Each change of the current value is on the audit, once.
func rotateHolds(w *world, file string, done bool) error {
	now, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	known, err := w.Known(w.t.Context())
	if err != nil || !has(known, string(now)) {
		return fmt.Errorf("redaction does not know what the service takes: %w", err)
	}
	if !done {
		return nil // the next life settles it
	}
	s := &service{file: file}
	w.SettleAtOnce()
	if unclear, err := w.SettleAll(w.t.Context(), s, nil); err != nil || len(unclear) > 0 {
		return fmt.Errorf("not settled: %v, %w", unclear, err)
	}
	i, err := w.Info(w.t.Context(), "crm.password")
	if err != nil || !s.signsIn(w.t, w) || i.Version < 2 {
		return fmt.Errorf("version %d does not sign in, %w", i.Version, err)
	}
	if took, n := len(known)-1-w.noted("crm.password", "refuse"), w.noted("crm.password", "rotate"); n != took {
		return fmt.Errorf("%d values were taken, %d are on the audit", took, n)
	}
	return nil
}

func beginRekey(w *world) string {
	for i := range 5 {
		w.put(fmt.Sprintf("tool%d.key", i), canary(fmt.Sprint(i)))
	}
	return ""
}

// rekeyHolds: every value opens, by the key of the key file, and beside that file lies no other.
func rekeyHolds(w *world, _ string, done bool) error {
	for i := range 5 {
		if got, err := w.ValueOf(fmt.Sprintf("tool%d.key", i), 0); err != nil || got != canary(fmt.Sprint(i)) {
			return fmt.Errorf("value %d is gone: %w", i, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "vault.key*"))
	if done && len(files) != 1 {
		return fmt.Errorf("%v is left, %w", files, err)
	}
	return err
}

func beginSeed(w *world) string {
	text, _ := credentials(3)
	w.leave(text)
	return ""
}

// seedHolds: all values are there or none, each taken once, and what holds them in clear goes.
func seedHolds(w *world, _ string, done bool) error {
	_, values := credentials(3)
	all, err := w.List(w.t.Context())
	switch left := w.left(); {
	case err != nil:
		return err
	case len(all) != 0 && len(all) != len(values), done && len(all) == 0:
		return fmt.Errorf("%d of %d values are there", len(all), len(values))
	case len(all) == 0 && len(left) != 1, done && len(left) > 0:
		return fmt.Errorf("with %d values, %v lies there", len(all), left)
	}
	for _, i := range all {
		if got, err := w.ValueOf(i.Name, 0); err != nil || got != values[i.Name] || i.Version != 1 || w.noted(i.Name, "seed") != 1 {
			return fmt.Errorf("%s: version %d, %d on the audit, %w", i.Name, i.Version, w.noted(i.Name, "seed"), err)
		}
	}
	return nil
}

func beginFollow(w *world) string {
	for i := range followed {
		w.external(fmt.Sprintf("crm.key%d", i))
	}
	return ""
}

// followHolds: the secrets of a look are of that same look, and each fetched value is on the audit, once.
func followHolds(w *world, _ string, done bool) error {
	all, err := w.Followed(w.t.Context())
	if err != nil || len(all) != followed || done && all[0].Version == 0 {
		return fmt.Errorf("%d are followed, %w", len(all), err)
	}
	for _, k := range all {
		if k.Version != all[0].Version || w.noted(k.Name, "fetch") != k.Version {
			return fmt.Errorf("%s is of version %d and was fetched %d times, the first is of %d", k.Name, k.Version, w.noted(k.Name, "fetch"), all[0].Version)
		}
		if k.Version == 0 {
			continue
		}
		if got, err := w.ValueOf(k.Name, 0); err != nil || got != canary(fmt.Sprint(k.Name, k.Version)) {
			return fmt.Errorf("%s holds something else: %w", k.Name, err)
		}
	}
	return nil
}
