package vault

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/vault/secret"
)

// Followed is a secret whose value comes from the external vault, and the version of it that is known here.
type Followed struct {
	Name    string
	Path    string
	Field   string
	Version int       // 0: none
	MadeAt  time.Time // of that version, there
	Trouble Trouble   // as it was last seen
}

// Sighting is what the external vault says of a secret. Without Trouble it vouches for the version; Value is empty when
// that is the one known here.
type Sighting struct {
	Followed
	Value secret.Value
}

// Followed lists the secrets that come from the external vault, by path.
func (v *Vault) Followed(ctx context.Context) ([]Followed, error) {
	if err := v.refresh(ctx); err != nil {
		return nil, err
	}
	var all []Followed
	for _, r := range v.at.Load().rows {
		if o := r.meta.Origin; o != nil {
			all = append(all, Followed{r.name, o.Path, o.Field, o.Version, o.MadeAt, o.Trouble})
		}
	}
	slices.SortFunc(all, func(a, b Followed) int { return strings.Compare(a.Path+"\x00"+a.Name, b.Path+"\x00"+b.Name) })
	return all, nil
}

// Follow keeps what was seen at a time, all of it in one transaction: new values are current, and known to redaction,
// when it returns. A secret that has another origin by now is left alone. That a version still holds is written down
// now and then only, not each time; its age is never taken to be less than it is.
func (v *Vault) Follow(ctx context.Context, at time.Time, all []Sighting) error {
	step := time.Duration(v.longest.Load()) / 24
	at = at.UTC().Truncate(time.Microsecond)
	return v.change(ctx, func(s *snapshot, now time.Time) (notes []entry, err error) {
		changed := false
		for _, g := range all {
			r := s.rows[g.Name]
			if r == nil || r.meta.Origin == nil || r.meta.Origin.Path != g.Path || r.meta.Origin.Field != g.Field {
				continue
			}
			more, err := s.sighted(r, g, at, step)
			if err != nil {
				return nil, err
			}
			changed, notes = changed || r.changed, append(notes, more...)
		}
		if !changed {
			return nil, nil
		}
		failpoint.Hit("vault-follow")
		return append([]entry{}, notes...), nil
	})
}

// sighted brings one secret to where it was seen.
func (s *snapshot) sighted(r *row, g Sighting, at time.Time, step time.Duration) (notes []entry, err error) {
	o := r.meta.Origin
	if g.Trouble == "" && !g.Value.Empty() {
		if notes, err = s.fetched(r, g, at); err != nil {
			return nil, err
		}
	}
	holds := o.Version == g.Version && o.MadeAt.Equal(g.MadeAt) && o.Version != 0
	switch {
	case g.Trouble == "" && !holds:
		g.Trouble = TroubleField // a value that cannot be one
	case g.Trouble == "" && (o.Trouble != "" || at.Sub(o.SeenAt).Abs() >= step):
		o.SeenAt, r.changed = at, true
	}
	if !g.Trouble.Gone() && g.Trouble != "" && o.Trouble.Gone() {
		return notes, nil // what was gone is not back because nobody can be asked
	}
	if o.Trouble != g.Trouble {
		o.Trouble, r.changed = g.Trouble, true
		if g.Trouble.Gone() {
			notes = append(notes, entry{r.name, r.meta.Current, actRefuse, "agentd", g.Trouble.Text()})
		}
	}
	return notes, nil
}

// fetched takes in a version: a value that the secret does not have yet becomes its current one.
func (s *snapshot) fetched(r *row, g Sighting, at time.Time) ([]entry, error) {
	if checkValue(g.Value.Reveal()) != nil {
		return nil, nil
	}
	o := r.meta.Origin
	o.Version, o.MadeAt, o.SeenAt, r.changed = g.Version, g.MadeAt.UTC(), at, true
	if r.meta.Current != 0 {
		now, err := s.value(r, r.meta.Current)
		if err != nil || now.Reveal() == g.Value.Reveal() {
			return nil, err // another field has changed there
		}
	}
	n, err := s.add(r, g.Value, FromExternal, at)
	if err != nil {
		return nil, err
	}
	r.meta.Versions[len(r.meta.Versions)-1].There = g.Version
	r.meta.Current, r.meta.RotatedAt = n, at
	return []entry{{r.name, n, actFetch, "agentd", fmt.Sprintf("version %d of %s", g.Version, o.text())}}, nil
}
