package vault

import (
	"context"
	"slices"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/wire"
)

// Info gives what may be said about a secret.
func (v *Vault) Info(ctx context.Context, name string) (wire.SecretInfo, error) {
	_, r, err := v.current(ctx, name)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	uses, err := v.lastUses(ctx)
	return r.info(uses[name]), err
}

// List gives all secrets by name.
func (v *Vault) List(ctx context.Context) ([]wire.SecretInfo, error) {
	if err := v.refresh(ctx); err != nil {
		return nil, err
	}
	uses, err := v.lastUses(ctx)
	if err != nil {
		return nil, err
	}
	all := []wire.SecretInfo{}
	for _, r := range v.at.Load().rows {
		if r.meta.Current != 0 || r.meta.Origin != nil {
			all = append(all, r.info(uses[r.name]))
		}
	}
	slices.SortFunc(all, func(a, b wire.SecretInfo) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func (r *row) info(last wire.SecretAuditItem) wire.SecretInfo {
	m := r.meta
	service, key := Split(r.name)
	out := wire.SecretInfo{
		Name: r.name, Service: service, Key: key, Ref: gate.Ref(r.name), Kind: m.Kind, Constraints: m.Constraints,
		Bindings: append([]wire.SecretBinding{}, m.Bindings...), BindingsHash: bindingsHash(m.Bindings), Version: m.Current, CreatedAt: m.CreatedAt,
		RotatedAt: m.RotatedAt, ExpiresAt: m.ExpiresAt, LastUsedAt: last.Time, LastUsedBy: last.By,
		Versions: []wire.SecretVersion{}, Origin: m.Origin.info(),
	}
	for _, ver := range slices.Backward(r.offered()) {
		out.Versions = append(out.Versions, wire.SecretVersion{N: ver.N, Source: ver.Source, State: r.stateOf(ver), There: ver.There, CreatedAt: ver.CreatedAt})
		if ver.N == m.Current {
			out.Source = ver.Source
		}
	}
	if m.Origin != nil {
		out.Source = FromExternal
	}
	return out
}

func (r *row) stateOf(ver versionMeta) string {
	switch {
	case ver.N == r.meta.Current:
		return "current"
	case ver.N == r.meta.Staged:
		return "staged"
	case ver.Failed:
		return "failed"
	}
	return "former"
}

// Holding gives the name of the secret whose current value this is. It tells nobody more than he has.
func (v *Vault) Holding(ctx context.Context, value string) (string, bool, error) {
	if err := v.refresh(ctx); err != nil {
		return "", false, err
	}
	s := v.at.Load()
	for _, r := range s.sorted() {
		if r.meta.Current == 0 {
			continue
		}
		val, err := s.value(r, r.meta.Current)
		if err != nil {
			return "", false, err
		}
		if val.Reveal() == value {
			return r.name, true, nil
		}
	}
	return "", false, nil
}
