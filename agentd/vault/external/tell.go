package external

import (
	"context"

	"gatehouse/agentd/vault"
)

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
