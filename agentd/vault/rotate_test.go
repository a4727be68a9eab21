package vault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// service is something to sign in to, whose password lies in a file.
type service struct {
	file   string
	refuse bool // does not take new values
	deaf   bool // answers nothing
	half   bool // takes the new value, and fails to say so
	mute   bool // does nothing, and does not say so
}

func (s *service) Applies(name string) bool { return name == "crm.password" }

func (s *service) Bound(string, []wire.SecretBinding) bool { return true }

func (s *service) Apply(_ context.Context, _ string, old, next secret.Value) error {
	now, err := os.ReadFile(s.file)
	switch {
	case err != nil:
		return err
	case s.deaf:
		return errors.New("connection refused")
	case s.mute:
		return errors.New("did not answer in time")
	case s.refuse || string(now) != old.Reveal():
		return fmt.Errorf("%w: cannot set %s", vault.ErrRefused, next.Reveal())
	}
	if err := s.take(next); err != nil || !s.half {
		return err
	}
	return errors.New("broken pipe")
}

// take makes a value the one that it takes.
func (s *service) take(next secret.Value) error {
	if err := os.WriteFile(s.file+".new", []byte(next.Reveal()), 0o600); err != nil {
		return err
	}
	return os.Rename(s.file+".new", s.file)
}

func (s *service) Works(_ context.Context, _ string, v secret.Value) (bool, error) {
	if s.deaf {
		return false, errors.New("connection refused")
	}
	now, err := os.ReadFile(s.file)
	return string(now) == v.Reveal(), err
}

// signsIn says whether the vault's current value is the service's.
func (s *service) signsIn(t *testing.T, w *world) bool {
	t.Helper()
	now, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	i, err := w.Info(t.Context(), "crm.password")
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.ValueOf("crm.password", i.Version)
	if err != nil {
		t.Fatal(err)
	}
	return string(now) == v
}

// rotate asks for a new password.
func (w *world) rotate(ctx context.Context, a vault.Applier) error {
	_, err := w.Rotate(ctx, a, vault.Rotation{Name: "crm.password", By: "owner", For: "test"})
	return err
}

func rotating(t *testing.T) (*world, *service) {
	t.Helper()
	w := open(t)
	w.put("crm.password", canary("first"))
	s := &service{file: filepath.Join(t.TempDir(), "password")}
	if err := os.WriteFile(s.file, []byte(canary("first")), 0o600); err != nil {
		t.Fatal(err)
	}
	return w, s
}

func TestRotate(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		s       service
		want    error
		version int
		signsIn bool
	}{
		"it works":           {service{}, nil, 2, true},
		"it refuses":         {service{refuse: true}, vault.ErrNotApplied, 1, true},
		"it says nothing":    {service{deaf: true}, vault.ErrUnclear, 1, true},
		"it does, and fails": {service{half: true}, nil, 2, true},
		"it does not answer": {service{mute: true}, vault.ErrUnclear, 1, true},
	} {
		w, s := rotating(t)
		c.s.file = s.file
		err := w.rotate(t.Context(), &c.s)
		i, ierr := w.Info(t.Context(), "crm.password")
		if !errors.Is(err, c.want) || ierr != nil || i.Version != c.version || c.s.signsIn(t, w) != c.signsIn {
			t.Errorf("%s: %v, version %d", what, err, i.Version)
		}
		known, kerr := w.Known(t.Context())
		if kerr != nil || len(known) != 2 {
			t.Errorf("%s: %d known: a value that was tried must stay redacted", what, len(known))
		}
		if err != nil && strings.Contains(err.Error(), known[1].Value) {
			t.Errorf("%s: the error shows the value", what)
		}
	}
	w, _ := rotating(t)
	if err := w.rotate(t.Context(), nil); !errors.Is(err, vault.ErrNoApplier) {
		t.Error(err)
	}
}

// TestRotate_killed: whenever the process dies, after the next start the vault's value signs in.
func TestRotate_killed(t *testing.T) {
	t.Parallel()
	w, s := rotating(t)
	for i := range 24 {
		w.stop()
		kill(t, "rotate="+s.file, w.dir, i)
		if err := w.start(); err != nil {
			t.Fatal(err)
		}
		w.SettleAtOnce()
		if unclear, err := w.SettleAll(t.Context(), s, nil); err != nil || len(unclear) > 0 {
			t.Fatalf("kill %d: %v, %v", i, unclear, err)
		}
		if !s.signsIn(t, w) {
			t.Fatalf("kill %d: the vault's value does not sign in", i)
		}
	}
	if i, err := w.Info(t.Context(), "crm.password"); err != nil || i.Version < 12 {
		t.Errorf("version %d, %v: hardly rotated", i.Version, err)
	}
}

// rotateOnce is what the victim does: as agentd, it first settles what the one before it has left.
func rotateOnce(ctx context.Context, v *vault.Vault, file string, _ int) error {
	s := &service{file: file}
	v.SettleAtOnce()
	if _, err := v.SettleAll(ctx, s, nil); err != nil {
		return err
	}
	_, err := v.Rotate(ctx, s, vault.Rotation{Name: "crm.password", By: "test"})
	return err
}
