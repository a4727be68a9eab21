package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Applier changes a secret in the service that it signs in to.
type Applier interface {
	// Applies says whether this applier knows how to change this secret.
	Applies(name string) bool
	// Apply signs in with old and makes next the value there.
	Apply(ctx context.Context, name string, old, next secret.Value) error
	// Works says whether one can sign in with this value now. An error says that nobody can tell.
	Works(ctx context.Context, name string, v secret.Value) (bool, error)
}

// Errors of Rotate, besides those of the vault.
var (
	// ErrNoApplier says that nobody here knows how to change this secret in its service.
	ErrNoApplier = errors.New("no way is known to change this secret in its service")
	// ErrNotApplied says that the service did not take the new value: the old one still holds.
	ErrNotApplied = errors.New("the service did not take the new value; the old one still holds")
	// ErrUnclear says that it is not known which value the service takes. Both are kept; Settle finds out.
	ErrUnclear = errors.New("it is not known whether the service took the new value; both are kept until it can be asked")
)

// settleWithin bounds what is asked of a service.
const settleWithin = 30 * time.Second

// Rotate puts a new value in the place of the old one, in the service first: the new one is kept beside the old (staged),
// applied, tried, and only then made current. Whatever fails on the way leaves the value with which one can sign in.
// Killed in between, Settle finds out which one that is. An empty value is made by the secret's constraints.
func (v *Vault) Rotate(ctx context.Context, a Applier, name string, val secret.Value, by, purpose string) (wire.SecretInfo, error) {
	if _, r, err := v.current(ctx, name); err == nil && r.meta.Origin != nil {
		return wire.SecretInfo{}, fmt.Errorf("%s: %w", name, ErrElsewhere)
	}
	if a == nil || !a.Applies(name) {
		return wire.SecretInfo{}, ErrNoApplier
	}
	if err := v.Settle(ctx, a, name); err != nil {
		return wire.SecretInfo{}, err
	}
	n, err := v.stage(ctx, name, val)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	failpoint.Hit("vault-rotate-staged")
	old, next, err := v.pair(ctx, name, n)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	applied := a.Apply(ctx, name, old, next)
	failpoint.Hit("vault-rotate-applied")
	if err := v.settle(ctx, a, name, n, by, purpose); err != nil {
		return wire.SecretInfo{}, errors.Join(err, hide(applied, next, old))
	}
	return v.Info(ctx, name)
}

// stage keeps a value beside the current one.
func (v *Vault) stage(ctx context.Context, name string, val secret.Value) (n int, err error) {
	err = v.change(ctx, func(s *snapshot, now time.Time) ([]entry, error) {
		r, err := s.find(name)
		if err == nil && r.meta.Origin != nil {
			err = fmt.Errorf("%s: %w", name, ErrElsewhere) // since Rotate has looked
		}
		if err != nil {
			return nil, err
		}
		source := FromOwner
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
	})
	return n, err
}

// pair opens the current value and a staged one.
func (v *Vault) pair(ctx context.Context, name string, n int) (old, next secret.Value, err error) {
	s, r, err := v.current(ctx, name)
	if err != nil {
		return old, next, err
	}
	if old, err = s.value(r, r.meta.Current); err != nil {
		return old, next, err
	}
	next, err = s.value(r, n)
	return old, next, err
}

// Settle brings a rotation that was interrupted to its end, by asking the service which value it takes.
func (v *Vault) Settle(ctx context.Context, a Applier, name string) error {
	_, r, err := v.current(ctx, name)
	if err != nil || r.meta.Staged == 0 {
		return err
	}
	return v.settle(ctx, a, name, r.meta.Staged, "agentd", "an interrupted rotation")
}

// SettleAll does so for every secret. It gives those of which nobody can tell.
func (v *Vault) SettleAll(ctx context.Context, a Applier) (unclear []string, err error) {
	if err := v.refresh(ctx); err != nil {
		return nil, err
	}
	for name, r := range v.at.Load().rows {
		if r.meta.Staged == 0 || r.meta.Current == 0 || !a.Applies(name) {
			continue
		}
		if err := v.Settle(ctx, a, name); errors.Is(err, ErrUnclear) {
			unclear = append(unclear, name)
		} else if err != nil && !errors.Is(err, ErrNotApplied) {
			return unclear, err
		}
	}
	return unclear, nil
}

// settle asks the service: the new value, then the old.
func (v *Vault) settle(ctx context.Context, a Applier, name string, n int, by, purpose string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWithin)
	defer cancel()
	old, next, err := v.pair(ctx, name, n)
	if err != nil {
		return err
	}
	worksNew, errNew := a.Works(ctx, name, next)
	if worksNew {
		failpoint.Hit("vault-rotate-verified")
		return v.unstage(ctx, name, n, true, entry{name, n, actRotate, by, purpose})
	}
	worksOld, errOld := a.Works(ctx, name, old)
	if worksOld && errNew == nil {
		err := v.unstage(ctx, name, n, false, entry{name, n, actRefuse, by, "the service did not take the new value"})
		return errors.Join(ErrNotApplied, err)
	}
	return errors.Join(ErrUnclear, hide(errors.Join(errNew, errOld), next, old))
}

// unstage ends a rotation: the staged version becomes current, or counts as failed.
func (v *Vault) unstage(ctx context.Context, name string, n int, took bool, note entry) error {
	return v.change(ctx, func(s *snapshot, now time.Time) ([]entry, error) {
		r, err := s.find(name)
		if err != nil {
			return nil, err
		}
		if r.meta.Staged != n {
			return nil, nil // another one was faster
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
	})
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
