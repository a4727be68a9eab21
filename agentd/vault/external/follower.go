package external

import (
	"context"
	"log/slog"
	"time"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

const (
	// askedEvery is how soon a command that asks for a look is heard.
	askedEvery = 500 * time.Millisecond
	// lookWithin bounds one look, however many secrets there are. What was not reached by then counts as away.
	lookWithin = time.Minute
)

// Follower keeps the secrets of a vault that come from the external vault up to date.
type Follower struct {
	vault *vault.Vault
	cfg   Config
	c     *client
	s     *session
	now   func() time.Time
	log   *slog.Logger

	general vault.Trouble            // as it was last told
	told    map[string]vault.Trouble // by name
}

// New makes a follower. Errors are those of the settings.
func New(cfg Config, v *vault.Vault, now func() time.Time, log *slog.Logger) (*Follower, error) {
	c, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	v.UseFetched(cfg.MaxAge)
	return &Follower{vault: v, cfg: cfg, c: c, s: &session{c: c, cfg: cfg, now: now}, now: now, log: log, told: map[string]vault.Trouble{}}, nil
}

// Run looks now, at every interval and when it is asked to, until ctx ends. No answer of the external vault ends it, and
// neither does a local vault that cannot be written just now.
func (f *Follower) Run(ctx context.Context) error {
	due, soon := time.NewTicker(f.cfg.Every), time.NewTicker(askedEvery)
	defer due.Stop()
	defer soon.Stop()
	look := true
	for {
		asked, done, err := f.vault.Asked(ctx)
		if err == nil && (look || asked > done) {
			err = f.Look(ctx, asked)
		}
		if err != nil && ctx.Err() == nil && look {
			f.log.ErrorContext(ctx, "what the external vault says cannot be kept", "error", err)
		}
		select {
		case <-due.C:
			look = true
		case <-soon.C:
			look = false
		case <-ctx.Done():
			return nil
		}
	}
}

// Look asks once about every secret. It answers the looks that were asked for, up to that number. Its errors are those of
// the local vault.
func (f *Follower) Look(ctx context.Context, asked int64) error {
	at := f.now()
	all, err := f.vault.Followed(ctx)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, lookWithin)
	seen, general := f.see(within, all)
	cancel()
	if err := ctx.Err(); err != nil {
		return err // agentd ends: nothing was said about the external vault
	}
	if err := f.vault.Follow(ctx, at, seen); err != nil {
		return err
	}
	f.tell(ctx, all, seen, general)
	return f.vault.Looked(ctx, vault.External{Address: f.cfg.Address, Trouble: general, LookedAt: at}, asked)
}

// see asks about secrets, those of one path at once. Trouble that is not of one secret alone ends it.
func (f *Follower) see(ctx context.Context, all []vault.Followed) (seen []vault.Sighting, general vault.Trouble) {
	if len(all) == 0 {
		return nil, ""
	}
	token, err := f.s.ready(ctx)
	general = troubleOf(err)
	l := look{f: f, token: token}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Path == all[0].Path {
			n++
		}
		var got []vault.Sighting
		if general == "" {
			got, err = l.path(ctx, all[:n])
		}
		if t := troubleOf(err); t != "" {
			got = failed(all[:n], t)
			if t.General() {
				general = t
			}
		}
		seen, all = append(seen, got...), all[n:]
	}
	return seen, general
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

// tell logs what has changed since the last look, once.
func (f *Follower) tell(ctx context.Context, all []vault.Followed, seen []vault.Sighting, general vault.Trouble) {
	if general != f.general {
		if general != "" {
			f.log.WarnContext(ctx, "the external vault does not answer; values from there are used up to their longest age", "why", general.Text())
		} else {
			f.log.InfoContext(ctx, "the external vault answers again")
		}
		f.general = general
	}
	versions := map[string]int{}
	for _, k := range all {
		versions[k.Name] = k.Version
	}
	for _, g := range seen {
		if g.Trouble.General() {
			continue
		}
		if g.Trouble == "" && !g.Value.Empty() {
			f.log.InfoContext(ctx, "secret fetched from the external vault", "secret", g.Name, "version", g.Version, "before", versions[g.Name])
		}
		switch was := f.told[g.Name]; {
		case g.Trouble == was:
		case g.Trouble == "":
			f.log.InfoContext(ctx, "the external vault vouches for a secret again", "secret", g.Name)
		default:
			f.log.WarnContext(ctx, "the external vault does not vouch for a secret", "secret", g.Name, "path", g.Path, "field", g.Field, "why", g.Trouble.Text())
		}
		f.told[g.Name] = g.Trouble
	}
}
