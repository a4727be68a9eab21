package vault

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// New is a value for the vault.
type New struct {
	Name      string
	Value     secret.Value
	Kind      string // empty: as the name says, or as it was
	Source    string // FromOwner and so on
	ExpiresAt time.Time
	By        string // who, for the audit
	For       string // what for
	Local     bool   // the value lives here from now on, even if it came from the external vault
}

// Put keeps a value: as a new secret, or as the new version of one. It returns when redaction knows the value.
func (v *Vault) Put(ctx context.Context, n New, also ...Also) (wire.SecretInfo, error) {
	return v.put(ctx, n, actSet, nil, also...)
}

// Generate makes a value by c and keeps it. Nobody sees it.
func (v *Vault) Generate(ctx context.Context, n New, c wire.SecretConstraints, also ...Also) (wire.SecretInfo, error) {
	val, err := Random(c)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	n.Value, n.Source = val, FromGenerator
	return v.put(ctx, n, actGenerate, &c, also...)
}

func (v *Vault) put(ctx context.Context, n New, act string, c *wire.SecretConstraints, also ...Also) (wire.SecretInfo, error) {
	if err := n.check(); err != nil {
		return wire.SecretInfo{}, err
	}
	err := v.change(ctx, func(s *snapshot, now time.Time) ([]entry, error) {
		r, ver, err := s.put(n, now)
		if err != nil {
			return nil, err
		}
		if c != nil {
			r.meta.Constraints = *c
		}
		return []entry{{n.Name, ver, act, n.By, n.For}}, nil
	}, also...)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	return v.Info(ctx, n.Name)
}

func (n New) check() error {
	if err := CheckName(n.Name); err != nil {
		return err
	}
	return checkValue(n.Value.Reveal())
}

// put seals the value and makes it current.
func (s *snapshot) put(n New, now time.Time) (*row, int, error) {
	r, err := s.rowFor(n.Name, n.Kind, now)
	if err != nil {
		return nil, 0, err
	}
	if r.meta.Origin != nil && !n.Local {
		return nil, 0, fmt.Errorf("%s: %w", n.Name, ErrElsewhere)
	}
	ver, err := s.add(r, n.Value, n.Source, now)
	if err != nil {
		return nil, 0, err
	}
	r.meta.Origin, r.meta.Current, r.meta.RotatedAt, r.meta.ExpiresAt = nil, ver, now, n.ExpiresAt
	return r, ver, nil
}

// rowFor gives the secret of a name, with the kind that is said or that it has; a new one when there is none.
func (s *snapshot) rowFor(name, kind string, now time.Time) (*row, error) {
	r := s.rows[name]
	if r != nil && kind == "" {
		kind = r.meta.Kind
	}
	kind, err := kindOf(kind, name)
	if err != nil {
		return nil, err
	}
	if r == nil {
		if r, err = newRow(name, kind, now); err != nil {
			return nil, err
		}
		s.rows[name] = r
	}
	r.meta.Kind = kind
	return r, nil
}

// Rollback makes one of the last five versions current again, as a new version: history only grows.
func (v *Vault) Rollback(ctx context.Context, name string, version int, by string, also ...Also) (wire.SecretInfo, error) {
	err := v.change(ctx, func(s *snapshot, now time.Time) ([]entry, error) {
		r, err := s.find(name)
		if err == nil && r.meta.Origin != nil {
			err = fmt.Errorf("%s: %w", name, ErrElsewhere)
		}
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(r.offered(), func(m versionMeta) bool { return m.N == version })
		if i < 0 {
			return nil, fmt.Errorf("%w: %s has no version %d among its last %d", ErrUnknown, name, version, keepVersions)
		}
		val, err := s.value(r, version)
		if err != nil {
			return nil, err
		}
		n, err := s.add(r, val, r.offered()[i].Source, now)
		if err != nil {
			return nil, err
		}
		r.meta.Current, r.meta.RotatedAt = n, now
		return []entry{{name, n, actRollback, by, fmt.Sprintf("back to version %d", version)}}, nil
	}, also...)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	return v.Info(ctx, name)
}

// Remove takes a secret out of use. Its values are kept, sealed, so that they are still taken out of texts.
func (v *Vault) Remove(ctx context.Context, name, by string, also ...Also) error {
	return v.change(ctx, func(s *snapshot, _ time.Time) ([]entry, error) {
		r, err := s.find(name)
		if err != nil {
			return nil, err
		}
		was := r.meta.Current
		r.meta.Current, r.meta.Staged, r.meta.Origin, r.meta.Bindings, r.changed = 0, 0, nil, []wire.SecretBinding{}, true
		return []entry{{name, was, actRemove, by, ""}}, nil
	}, also...)
}

// Bind says where a secret may be used from now on, in place of what was said before. base is the BindingsHash of what
// the author saw: with other places in force it answers a ReboundError. An empty one replaces whatever is there.
func (v *Vault) Bind(ctx context.Context, name string, to []wire.SecretBinding, base, by string, also ...Also) (wire.SecretInfo, error) {
	clean, err := cleanBindings(to)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	err = v.change(ctx, func(s *snapshot, _ time.Time) ([]entry, error) {
		r, err := s.find(name)
		if err != nil {
			return nil, err
		}
		if base != "" && base != bindingsHash(r.meta.Bindings) {
			return nil, &ReboundError{Now: r.meta.Bindings}
		}
		r.meta.Bindings, r.changed = clean, true
		return []entry{{name, r.meta.Current, actBind, by, bindingsText(clean)}}, nil
	}, also...)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	return v.Info(ctx, name)
}

func bindingsText(all []wire.SecretBinding) string {
	var parts []string
	for _, b := range all {
		parts = append(parts, useOf(b).Destination())
	}
	return strings.Join(parts, "; ")
}
