package vault_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/vault/vaulttest"
	"gatehouse/agentd/wire"
)

// during is a service to which something happens while it is asked for a new value.
type during struct {
	*service
	first func(ctx context.Context, next secret.Value)
}

func (d *during) Apply(ctx context.Context, name string, old, next secret.Value) error {
	d.first(ctx, next)
	return d.service.Apply(ctx, name, old, next)
}

// signsInWith fails unless that version is current and the service takes it.
func (w *world) signsInWith(s *service, version int) {
	w.t.Helper()
	i, err := w.Info(w.t.Context(), "crm.password")
	if err != nil || i.Version != version || !s.signsIn(w.t, w) {
		w.t.Errorf("version %d is current and signs in: %t, %v", i.Version, s.signsIn(w.t, w), err)
	}
}

// TestRotate_oneAtATime: while a service is asked for a new value, nobody else rotates or settles this secret: whoever
// looked then would find the old value to work, and take the rotation back under the first one's feet.
func TestRotate_oneAtATime(t *testing.T) {
	t.Parallel()
	w, s := rotating(t)
	w.SettleAtOnce()
	for i, other := range []func(ctx context.Context) error{
		func(ctx context.Context) error { return w.rotate(ctx, s) },
		func(ctx context.Context) error { return w.Settle(ctx, s, "crm.password", nil) },
		func(ctx context.Context) error { _, err := w.SettleAll(ctx, s, nil); return err },
	} {
		err := w.rotate(t.Context(), &during{s, func(context.Context, secret.Value) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			got := make(chan error, 1)
			go func() { got <- other(ctx) }()
			eventually(t, func() bool { return len(got) > 0 || vaulttest.InTurn("TestRotate_oneAtATime") })
			stop()
			if err := <-got; !errors.Is(err, vault.ErrBusy) {
				t.Errorf("%d: another one did not wait: %v", i, err)
			}
		}})
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
		w.signsInWith(s, i+2)
	}
	if err := w.rotate(t.Context(), s); err != nil {
		t.Error(err)
	}
	w.signsInWith(s, 5)
}

// eventually waits for a condition, in any goroutine.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) { // between two looks
		if time.Now().After(end) {
			t.Error("that never came")
			return
		}
	}
}

// TestRotate_otherProcess: a rotation that was ended from outside is not said to have come off.
func TestRotate_otherProcess(t *testing.T) {
	t.Parallel()
	w, s := rotating(t)
	other := w.beside()
	other.SettleAtOnce()
	settle := func() {
		if unclear, err := other.SettleAll(t.Context(), s, nil); err != nil || len(unclear) > 0 {
			t.Errorf("%v, %v", unclear, err)
		}
	}
	for what, a := range map[string]vault.Applier{
		"before it was changed": &during{s, func(context.Context, secret.Value) { settle() }},
		"while it was tried":    &trying{service: s, then: settle},
	} {
		_, err := w.Rotate(t.Context(), a, vault.Rotation{Name: "crm.password", By: "owner", Unclear: func(*sql.Tx) error {
			t.Errorf("it was ended %s, and is on record as open", what)
			return nil
		}})
		if !errors.Is(err, vault.ErrUnclear) {
			t.Errorf("it was ended %s, and says %v", what, err)
		}
		now, err := w.ValueOf("crm.password", 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.take(secret.New(now)); err != nil { // for the next one
			t.Fatal(err)
		}
	}
}

// trying is a service to which something happens when a value is first tried.
type trying struct {
	*service
	then func()
	once sync.Once
}

func (y *trying) Works(ctx context.Context, name string, v secret.Value) (bool, error) {
	y.once.Do(y.then)
	return y.service.Works(ctx, name, v)
}

// TestRotate_late: a service that did not answer may take the value yet. Until it has had its time both values are kept,
// and which one holds is found out then.
func TestRotate_late(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{true, false} {
		w, s := rotating(t)
		s.mute = true
		var asked secret.Value
		err := w.rotate(t.Context(), &during{s, func(_ context.Context, next secret.Value) { asked = next }})
		if !errors.Is(err, vault.ErrUnclear) {
			t.Fatal(err)
		}
		s.mute = false
		if err := w.rotate(t.Context(), s); !errors.Is(err, vault.ErrUnclear) {
			t.Errorf("another value is asked for while the first may still be taken: %v", err)
		}
		if taken {
			if err := s.take(asked); err != nil {
				t.Fatal(err)
			}
		} else {
			w.Wait(5 * time.Minute)
		}
		var ended []string
		unclear, err := w.SettleAll(t.Context(), s, func(_ *sql.Tx, name string, version int, took bool) error {
			ended = append(ended, fmt.Sprint(name, version, took))
			return nil
		})
		if err != nil || len(unclear) > 0 || !slices.Equal(ended, []string{fmt.Sprint("crm.password", 2, taken)}) {
			t.Errorf("unclear %v, ended %v, %v", unclear, ended, err)
		}
		w.signsInWith(s, map[bool]int{true: 2, false: 1}[taken])
		if err := w.rotate(t.Context(), s); err != nil {
			t.Error(err)
		}
		w.signsInWith(s, 3)
	}
}

// TestRotate_clockIsSet: a clock that is set, forward or back, gives a service its time no sooner; nor does a restart, which
// begins to wait anew. What the service takes meanwhile is what signs in.
func TestRotate_clockIsSet(t *testing.T) {
	t.Parallel()
	w, s := rotating(t)
	s.mute = true
	var asked secret.Value
	if err := w.rotate(t.Context(), &during{s, func(_ context.Context, next secret.Value) { asked = next }}); !errors.Is(err, vault.ErrUnclear) {
		t.Fatal(err)
	}
	open := func(when string) {
		t.Helper()
		if unclear, err := w.SettleAll(t.Context(), s, nil); err != nil || !slices.Equal(unclear, []string{"crm.password"}) {
			t.Errorf("%s: unclear %v, %v", when, unclear, err)
		}
	}
	w.move(-6 * time.Minute)
	open("set back")
	w.move(day)
	open("set forward")
	w.Wait(4 * time.Minute)
	if err := w.again(); err != nil {
		t.Fatal(err)
	}
	open("after a restart")
	w.Wait(4 * time.Minute)
	open("a while after a restart")
	if err := s.take(asked); err != nil {
		t.Fatal(err)
	}
	if unclear, err := w.SettleAll(t.Context(), s, nil); err != nil || len(unclear) > 0 {
		t.Errorf("unclear %v, %v", unclear, err)
	}
	w.signsInWith(s, 2)
}

// TestRotate_callerGone: whoever asked for a rotation and goes away does not stop it half-way.
func TestRotate_callerGone(t *testing.T) {
	t.Parallel()
	w, s := rotating(t)
	ctx, gone := context.WithCancel(t.Context())
	heard, ended := make(chan struct{}), make(chan struct{})
	a := &during{s, func(ctx context.Context, _ secret.Value) {
		gone()
		<-heard
		if ctx.Err() != nil {
			t.Error("the service is not asked to the end")
		}
	}}
	_, err := w.Rotate(ctx, a, vault.Rotation{Name: "crm.password", By: "owner", Ended: func(_ *sql.Tx, _ string, version int, took bool) error {
		defer close(ended)
		if version != 2 || !took {
			t.Errorf("version %d taken: %t", version, took)
		}
		return nil
	}})
	if !errors.Is(err, vault.ErrUnclear) {
		t.Error(err)
	}
	close(heard)
	<-ended
	if err := w.Settle(t.Context(), s, "crm.password", nil); err != nil { // which waits for its turn
		t.Error(err)
	}
	w.signsInWith(s, 2)
}

// unbound is a service at which the secret may not be used.
type unbound struct {
	*service
	t *testing.T
}

func (*unbound) Bound(string, []wire.SecretBinding) bool { return false }

func (u *unbound) Apply(context.Context, string, secret.Value, secret.Value) error {
	u.t.Error("a value was sent")
	return vault.ErrRefused
}

func (u *unbound) Works(context.Context, string, secret.Value) (bool, error) {
	u.t.Error("a value was tried")
	return false, nil
}

// TestRotate_boundElsewhere: what may not be used at its service is not sent there, not even to ask.
func TestRotate_boundElsewhere(t *testing.T) {
	t.Parallel()
	w, s := rotating(t)
	a := &unbound{s, t}
	if err := w.rotate(t.Context(), a); !errors.Is(err, vault.ErrNowhere) || errors.Is(err, vault.ErrUnclear) {
		t.Error(err)
	}
	s.deaf = true
	if err := w.rotate(t.Context(), s); !errors.Is(err, vault.ErrUnclear) {
		t.Error(err)
	}
	s.deaf = false
	if err := w.Settle(t.Context(), a, "crm.password", nil); !errors.Is(err, vault.ErrNowhere) || !errors.Is(err, vault.ErrUnclear) {
		t.Error(err)
	}
	w.signsInWith(s, 1)
}

// placed is a service at which a secret may be used as long as it may be used anywhere.
type placed struct{ *during }

func (*placed) Bound(_ string, to []wire.SecretBinding) bool { return len(to) > 0 }

// TestRotate_placeTakenAway: whoever waits for his turn sends nothing to a service whose place the owner has taken away
// meanwhile, and leaves no rotation open.
func TestRotate_placeTakenAway(t *testing.T) {
	t.Parallel()
	w, s := rotating(t)
	place := func(to ...wire.SecretBinding) {
		if _, err := w.Bind(t.Context(), "crm.password", to, "", "owner"); err != nil {
			t.Error(err)
		}
	}
	place(wire.SecretBinding{Tool: "http_request", Scheme: "https", Host: "crm.example.com", Port: 443, Header: "Authorization"})
	second := &placed{&during{s, func(context.Context, secret.Value) { t.Error("a value was sent") }}}
	got := make(chan error, 1)
	first := &placed{&during{s, func(context.Context, secret.Value) {
		go func() { got <- w.rotate(t.Context(), second) }()
		eventually(t, func() bool { return len(got) > 0 || vaulttest.InTurn("TestRotate_placeTakenAway") })
		place()
	}}}
	if err := w.rotate(t.Context(), first); err != nil {
		t.Error(err)
	}
	if err := <-got; !errors.Is(err, vault.ErrNowhere) || errors.Is(err, vault.ErrUnclear) {
		t.Error(err)
	}
	w.signsInWith(s, 2)
	if known, err := w.Known(t.Context()); err != nil || len(known) != 2 {
		t.Errorf("%d known, %v: a value was made that goes nowhere", len(known), err)
	}
}

// faulty is a service whose applier panics when it is asked for a new value, or which of two it takes.
type faulty struct {
	*service
	tried bool
}

func (f *faulty) Apply(ctx context.Context, name string, old, next secret.Value) error {
	if !f.tried {
		panic("applier: " + next.Reveal())
	}
	return f.service.Apply(ctx, name, old, next)
}

func (f *faulty) Works(context.Context, string, secret.Value) (bool, error) { panic("applier") }

// TestRotate_panics: a fault in an applier ends neither the process nor the rotation, and the next one can settle it.
func TestRotate_panics(t *testing.T) {
	t.Parallel()
	for version, a := range map[int]*faulty{1: {}, 2: {tried: true}} {
		w, s := rotating(t)
		a.service = s
		err := w.rotate(t.Context(), a)
		if !errors.Is(err, vault.ErrUnclear) || strings.Contains(err.Error(), "applier") {
			t.Errorf("%v", err)
		}
		w.SettleAtOnce()
		if unclear, err := w.SettleAll(t.Context(), a, nil); err != nil || !slices.Equal(unclear, []string{"crm.password"}) {
			t.Errorf("unclear %v, %v", unclear, err)
		}
		if err := w.Settle(t.Context(), s, "crm.password", nil); err != nil {
			t.Error(err)
		}
		w.signsInWith(s, version)
	}
}

// several are services that do not answer at first, and take all values later. One secret is removed while it is settled.
type several struct {
	*world
	away bool
	gone string
}

func (m *several) Applies(name string) bool {
	if name == m.gone {
		if err := m.Remove(m.t.Context(), name, "owner"); err != nil {
			m.t.Error(err)
		}
	}
	return true
}

func (*several) Bound(string, []wire.SecretBinding) bool { return true }

func (*several) Apply(context.Context, string, secret.Value, secret.Value) error {
	return errors.New("did not answer in time")
}

func (m *several) Works(context.Context, string, secret.Value) (bool, error) { return !m.away, nil }

// TestSettleAll_oneFails: what is wrong with one secret keeps no other from being settled.
func TestSettleAll_oneFails(t *testing.T) {
	t.Parallel()
	m := &several{world: open(t), away: true}
	names := []string{"a.key", "b.key", "c.key", "d.key", "e.key", "f.key", "g.key"}
	for _, name := range names {
		m.put(name, canary(name))
		if _, err := m.Rotate(t.Context(), m, vault.Rotation{Name: name, By: "owner"}); !errors.Is(err, vault.ErrUnclear) {
			t.Fatal(err)
		}
	}
	m.away, m.gone = false, names[0]
	unclear, err := m.SettleAll(t.Context(), m, nil)
	if !errors.Is(err, vault.ErrUnknown) || !strings.Contains(err.Error(), m.gone) || len(unclear) > 0 {
		t.Errorf("unclear %v, %v", unclear, err)
	}
	for _, name := range names[1:] {
		if i, err := m.Info(t.Context(), name); err != nil || i.Version != 2 {
			t.Errorf("%s is at version %d, %v", name, i.Version, err)
		}
	}
}
