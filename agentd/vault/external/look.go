package external

import (
	"context"
	"slices"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

// see asks about secrets, those of one path at once. Trouble that is not of one secret alone ends it.
func (f *Follower) see(ctx context.Context, all []vault.Followed) (seen []vault.Sighting, general vault.Trouble) {
	if len(all) == 0 {
		return nil, ""
	}
	token, err := f.s.ready(ctx)
	general = troubleOf(err)
	l := look{f: f, token: token}
	paths := f.inTurn(all)
	for i, here := range paths {
		var got []vault.Sighting
		if general == "" {
			if got, err = l.path(ctx, here); troubleOf(err).General() {
				f.stopped(ctx, paths, i)
			}
		}
		if t := troubleOf(err); t != "" {
			got = failed(here, t)
			if t.General() {
				general = t
			}
		}
		seen = append(seen, got...)
	}
	return seen, general
}

// inTurn parts secrets, which are in the order of their paths, by path. It begins where the last look has left off.
func (f *Follower) inTurn(all []vault.Followed) (paths [][]vault.Followed) {
	begin := slices.IndexFunc(all, func(k vault.Followed) bool { return k.Path >= f.next })
	for i, k := range slices.Concat(all[max(begin, 0):], all[:max(begin, 0)]) {
		if i == 0 || k.Path != paths[len(paths)-1][0].Path {
			paths = append(paths, nil)
		}
		last := len(paths) - 1
		paths[last] = append(paths[last], k)
	}
	return paths
}

// stopped lets the next look begin behind a path that nothing was said of: it may be that path alone, and must not keep
// the others from being looked at for ever. When the time was up, it begins with that path.
func (f *Follower) stopped(ctx context.Context, paths [][]vault.Followed, at int) {
	if ctx.Err() == nil {
		at++
	}
	f.next = paths[at%len(paths)][0].Path
}

// look is one look, with the token that it has.
type look struct {
	f     *Follower
	token secret.Value
	anew  bool // another token was asked for: once in a look
}

// path asks about the secrets of one path. A token that was taken back is replaced.
func (l *look) path(ctx context.Context, here []vault.Followed) ([]vault.Sighting, error) {
	got, err := l.f.path(ctx, l.token, here)
	if troubleOf(err) != vault.TroubleDenied || l.anew {
		return got, err
	}
	l.anew = true
	token, err := l.f.s.again(ctx)
	if err != nil {
		return nil, err
	}
	l.token = token
	return l.f.path(ctx, l.token, here)
}

// path asks about the secrets of one path: which version is current, and what it holds where that is another one.
func (f *Follower) path(ctx context.Context, token secret.Value, here []vault.Followed) ([]vault.Sighting, error) {
	at, err := f.c.metadata(ctx, token, f.cfg.Mount, here[0].Path, f.now())
	if err != nil {
		return nil, err
	}
	var held fields
	var out []vault.Sighting
	for _, k := range here {
		g := vault.Sighting{Followed: k}
		known := k.Version == at.version && k.MadeAt.Equal(at.made)
		g.Version, g.MadeAt, g.Trouble = at.version, at.made, ""
		if !known {
			if held == nil {
				if held, err = f.c.data(ctx, token, f.cfg.Mount, k.Path, at); err != nil {
					return nil, err
				}
			}
			val, err := held.text(k.Field)
			g.Value, g.Trouble = val, troubleOf(err)
		}
		out = append(out, g)
	}
	return out, nil
}

func failed(here []vault.Followed, t vault.Trouble) []vault.Sighting {
	var out []vault.Sighting
	for _, k := range here {
		k.Trouble = t
		out = append(out, vault.Sighting{Followed: k})
	}
	return out
}
