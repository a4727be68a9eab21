package vault

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Applier changes a secret in the service that it signs in to.
type Applier interface {
	// Applies says whether this applier knows how to change this secret.
	Applies(name string) bool
	// Bound says whether one of the places where the secret may be used is at its service.
	Bound(name string, to []wire.SecretBinding) bool
	// Apply signs in with old and makes next the value there. An error that is ErrRefused says that the service itself has
	// said no. After any other it may have taken the value, or may do so yet.
	Apply(ctx context.Context, name string, old, next secret.Value) error
	// Works says whether one can sign in with this value now. An error says that nobody can tell.
	Works(ctx context.Context, name string, v secret.Value) (bool, error)
}

// Errors of Rotate, besides those of the vault.
var (
	// ErrNoApplier says that nobody here knows how to change this secret in its service.
	ErrNoApplier = errors.New("no way is known to change this secret in its service")
	// ErrNowhere says that the secret may not be sent to its service. Nothing was.
	ErrNowhere = errors.New("none of the places where this secret may be used is at its service, so nothing was sent there; its owner has to name that place first")
	// ErrRefused is what an Applier answers when the service said no.
	ErrRefused = errors.New("the service refused")
	// ErrNotApplied says that the service did not take the new value: the old one still holds.
	ErrNotApplied = errors.New("the service did not take the new value; the old one still holds")
	// ErrUnclear says that it is not known yet which value the service takes. Both are kept; Settle finds out.
	ErrUnclear = errors.New("it is not known yet whether the service took the new value; both are kept, and the service is asked again")
	// ErrBusy says that another rotation of the secret was still under way when the time to wait for it was over.
	ErrBusy = errors.New("it is being changed in its service just now; try again in a moment")
)

// Time limits of a rotation. None of them is the caller's: what was begun at a service is brought to its end.
const (
	applyWithin  = time.Minute
	settleWithin = 30 * time.Second
	// settleAfter is when a service that was asked for a new value and did not answer will not take it anymore: counted
	// by patience, from when it was first asked which value it takes.
	settleAfter = 5 * time.Minute
)

// Rotation is what Rotate is asked for.
type Rotation struct {
	Name    string
	Value   secret.Value // empty: made by the secret's constraints
	By      string       // who, for the audit
	For     string       // what for
	Begun   Also         // written with the new value, before the service hears of it; nil: nothing
	Ended   Ended        // nil: nothing
	Unclear Also         // written when the rotation stays open, and only while it does; nil: nothing
}

// Ended is what a caller writes in the transaction that ends a rotation: whether the service took that version. It may
// be of an earlier rotation, which had to be ended first.
type Ended func(tx *sql.Tx, name string, version int, took bool) error

// Rotate puts a new value in the place of the old one, in the service first: the new one is kept beside the old (staged),
// applied, tried, and only then made current. Whatever fails on the way leaves the value with which one can sign in.
// Killed in between, Settle finds out which one that is. A secret has one rotation at a time; others wait for their turn.
//
// From Begun on, errors are ErrNotApplied or ErrUnclear. Whoever asks may go away meanwhile, and hears ErrUnclear: the
// rotation goes on to its end without him.
func (v *Vault) Rotate(ctx context.Context, a Applier, r Rotation) (wire.SecretInfo, error) {
	if err := v.rotatable(ctx, a, r.Name); err != nil {
		return wire.SecretInfo{}, err
	}
	release, err := v.turn(ctx, r.Name)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	lasting, done := context.WithoutCancel(ctx), make(chan error, 1)
	go func() {
		defer release()
		done <- guarded(r.Name, func() error { return v.rotate(lasting, a, r) })
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done: // just now
		default:
			err = fmt.Errorf("%w: it is still being asked", ErrUnclear)
		}
	}
	if err != nil {
		return wire.SecretInfo{}, err
	}
	return v.Info(lasting, r.Name)
}

// guarded keeps a fault in an applier from ending the process, which would ask the same service again in its next life.
// What had begun stays staged. The panic's own text is not logged: it may hold a value.
func guarded(name string, way func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("the way to change a secret in its service panicked", "secret", name, "panic", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: a fault of this server ended the asking", ErrUnclear)
		}
	}()
	return way()
}

// rotatable says why a secret cannot be changed in its service from here. Nothing is sent for that.
func (v *Vault) rotatable(ctx context.Context, a Applier, name string) error {
	_, r, err := v.current(ctx, name)
	switch {
	case err == nil && r.meta.Origin != nil:
		return fmt.Errorf("%s: %w", name, ErrElsewhere)
	case a == nil || !a.Applies(name):
		return ErrNoApplier
	case err == nil && !a.Bound(name, r.meta.Bindings):
		return ErrNowhere
	}
	return err
}

// turn waits until nobody else rotates this secret, or asks its service which value it takes.
func (v *Vault) turn(ctx context.Context, name string) (release func(), err error) {
	v.turns.mu.Lock()
	if v.turns.of == nil {
		v.turns.of = map[string]chan struct{}{}
	}
	if v.turns.of[name] == nil {
		v.turns.of[name] = make(chan struct{}, 1)
	}
	one := v.turns.of[name]
	v.turns.mu.Unlock()
	select {
	case one <- struct{}{}:
		return func() { <-one }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w (%w)", ErrBusy, ctx.Err())
	}
}

// rotate is Rotate for whoever has the turn.
func (v *Vault) rotate(ctx context.Context, a Applier, r Rotation) error {
	if err := v.settle(ctx, a, r.Name, r.Ended); err != nil {
		return err
	}
	n, err := v.stage(ctx, a, r)
	if err != nil {
		return err
	}
	err = guarded(r.Name, func() error { return v.bring(ctx, a, n, r) })
	if errors.Is(err, ErrUnclear) {
		return errors.Join(err, v.leave(ctx, n, r))
	}
	return err
}

// leave puts on record that a rotation stays open, unless something outside this process has ended it.
func (v *Vault) leave(ctx context.Context, n int, in Rotation) error {
	if in.Unclear == nil {
		return nil
	}
	return v.change(ctx, func(s *snapshot, _ time.Time) ([]entry, error) {
		if r, err := s.find(in.Name); err != nil || r.meta.Staged != n {
			return nil, err
		}
		return []entry{}, nil
	}, in.Unclear)
}

// bring takes the staged version n to the service, and the rotation to its end.
func (v *Vault) bring(ctx context.Context, a Applier, n int, r Rotation) error {
	failpoint.Hit("vault-rotate-staged")
	was, err := v.staged(ctx, r.Name, n)
	if err != nil {
		return errors.Join(ErrUnclear, err)
	}
	refused := apply(ctx, a, r.Name, was)
	failpoint.Hit("vault-rotate-applied")
	took, err := v.end(ctx, a, n, errors.Is(refused, ErrRefused), r)
	if err == nil && !took {
		err = ErrNotApplied
	}
	if err != nil {
		return errors.Join(err, hide(refused, was.next, was.old))
	}
	return nil
}

// apply gives the service the time that it may take.
func apply(ctx context.Context, a Applier, name string, p pairOf) error {
	ctx, cancel := context.WithTimeout(ctx, applyWithin)
	defer cancel()
	return a.Apply(ctx, name, p.old, p.next)
}

// stage keeps a value beside the current one. Since Rotate has looked, the secret may have changed: whoever waits for
// his turn may do so for more than a minute.
func (v *Vault) stage(ctx context.Context, a Applier, in Rotation) (n int, err error) {
	also := []Also{}
	if in.Begun != nil {
		also = append(also, in.Begun)
	}
	err = v.change(ctx, func(s *snapshot, now time.Time) ([]entry, error) {
		r, err := s.find(in.Name)
		switch {
		case err != nil:
			return nil, err
		case r.meta.Origin != nil:
			return nil, fmt.Errorf("%s: %w", in.Name, ErrElsewhere)
		case !a.Bound(in.Name, r.meta.Bindings):
			return nil, ErrNowhere
		case r.meta.Staged != 0:
			return nil, fmt.Errorf("%w: another process rotates %s", ErrUnclear, in.Name)
		}
		val, source := in.Value, FromOwner
		if val.Empty() {
			source = FromGenerator
			if val, err = Random(r.meta.Constraints); err != nil {
				return nil, err
			}
		}
		if err := checkValue(val.Reveal()); err != nil {
			return nil, err
		}
		n, err = s.add(r, val, source, now)
		r.meta.Staged = n
		return []entry{}, err
	}, also...)
	return n, err
}

// pairOf is a rotation under way: the values between which the service has to be asked.
type pairOf struct{ old, next secret.Value }

// staged opens the current value and the staged one, which must be version n.
func (v *Vault) staged(ctx context.Context, name string, n int) (p pairOf, err error) {
	s, r, err := v.current(ctx, name)
	if err != nil {
		return p, err
	}
	if r.meta.Staged != n {
		return p, errOvertaken
	}
	if p.old, err = s.value(r, r.meta.Current); err != nil {
		return p, err
	}
	p.next, err = s.value(r, n)
	return p, err
}

// errOvertaken says that something outside this process has ended the rotation.
var errOvertaken = errors.New("another process has ended this rotation meanwhile")

// Settle brings a rotation that was interrupted to its end, by asking the service which value it takes. Without one
// there is nothing to do.
func (v *Vault) Settle(ctx context.Context, a Applier, name string, ended Ended) error {
	release, err := v.turn(ctx, name)
	if err != nil {
		return err
	}
	defer release()
	return guarded(name, func() error { return v.settle(ctx, a, name, ended) })
}

// settle is Settle for whoever has the turn.
func (v *Vault) settle(ctx context.Context, a Applier, name string, ended Ended) error {
	_, r, err := v.current(ctx, name)
	if err != nil || r.meta.Staged == 0 {
		return err
	}
	if !a.Bound(name, r.meta.Bindings) {
		return errors.Join(ErrUnclear, ErrNowhere)
	}
	_, err = v.end(ctx, a, r.meta.Staged, false, Rotation{Name: name, By: "agentd", For: "an interrupted rotation", Ended: ended})
	return err
}

// SettleAll does so for every secret, whatever comes of the others. It gives those of which nobody can tell.
func (v *Vault) SettleAll(ctx context.Context, a Applier, ended Ended) (unclear []string, err error) {
	if err := v.refresh(ctx); err != nil {
		return nil, err
	}
	var failed []error
	for name, r := range v.at.Load().rows {
		if r.meta.Staged == 0 || r.meta.Current == 0 || !a.Applies(name) {
			continue
		}
		if err := v.Settle(ctx, a, name, ended); errors.Is(err, ErrUnclear) {
			unclear = append(unclear, name)
		} else if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	return unclear, errors.Join(failed...)
}

// end asks the service which value it takes, the new one first, and ends the rotation by that. That it takes the old one
// means that it did not take the new one only where it has said so, or has had its time: a request that nobody
// answered may still be under way. Errors are ErrUnclear.
func (v *Vault) end(ctx context.Context, a Applier, n int, refused bool, r Rotation) (took bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWithin)
	defer cancel()
	p, err := v.staged(ctx, r.Name, n)
	if err != nil {
		return false, errors.Join(ErrUnclear, err)
	}
	had := v.patience.had(r.Name, n)
	worksNew, errNew := a.Works(ctx, r.Name, p.next)
	if worksNew {
		failpoint.Hit("vault-rotate-verified")
		return true, v.unstage(ctx, n, true, r, entry{r.Name, n, actRotate, r.By, r.For})
	}
	worksOld, errOld := a.Works(ctx, r.Name, p.old)
	if worksOld && errNew == nil && (refused || had >= v.settleAfter) {
		return false, v.unstage(ctx, n, false, r, entry{r.Name, n, actRefuse, r.By, "the service did not take the new value"})
	}
	return false, errors.Join(ErrUnclear, hide(errors.Join(errNew, errOld), p.next, p.old))
}

// unstage ends a rotation: the staged version becomes current, or counts as failed. Errors are ErrUnclear.
func (v *Vault) unstage(ctx context.Context, n int, took bool, in Rotation, note entry) error {
	also := []Also{}
	if in.Ended != nil {
		also = append(also, func(tx *sql.Tx) error { return in.Ended(tx, in.Name, n, took) })
	}
	err := v.change(ctx, func(s *snapshot, now time.Time) ([]entry, error) {
		r, err := s.find(in.Name)
		if err != nil {
			return nil, err
		}
		if r.meta.Staged != n {
			return nil, errOvertaken
		}
		r.meta.Staged, r.changed = 0, true
		for i := range r.meta.Versions {
			if r.meta.Versions[i].N == n {
				r.meta.Versions[i].Failed = !took
			}
		}
		if took {
			r.meta.Current, r.meta.RotatedAt = n, now
		}
		return []entry{note}, nil
	}, also...)
	if err != nil {
		return errors.Join(ErrUnclear, err)
	}
	return nil
}

// hide keeps an error of an applier from showing a value.
func hide(err error, values ...secret.Value) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, v := range values {
		text = without(text, v.Reveal())
	}
	return fmt.Errorf("the service says: %s", clip(text))
}
