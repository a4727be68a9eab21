package vault

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// FromExternal is the source of values that were fetched from the external vault.
const FromExternal = "external"

// origin says where the value of a secret lives that is only kept here: one field of a secret in the external vault.
type origin struct {
	Path    string    `json:"path"`
	Field   string    `json:"field"`
	Version int       `json:"version"` // there; 0: never fetched
	MadeAt  time.Time `json:"made_at"` // of that version: numbers begin anew when a secret is deleted whole
	SeenAt  time.Time `json:"seen_at"` // when the external vault last vouched for that version
	Trouble Trouble   `json:"trouble,omitempty"`
}

// text is how the operator wrote it.
func (o *origin) text() string { return o.Path + "#" + o.Field }

// ParsePlace reads PATH#FIELD, a place in the external vault. The path is below the mount.
func ParsePlace(s string) (path, field string, err error) {
	path, field, ok := strings.Cut(s, "#")
	bad := func(text string) bool {
		return text == "" || len(text) > 512 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == '#' })
	}
	if !ok || bad(path) || bad(field) {
		return "", "", fmt.Errorf("%w: a place in the external vault is PATH#FIELD", ErrInvalid)
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return "", "", fmt.Errorf("%w: the path of a secret has no empty part, no . and no .., and begins below the mount", ErrInvalid)
		}
	}
	return path, field, nil
}

// SetOrigin lets the value of a secret come from PATH#FIELD in the external vault from now on. A secret that is not
// there is made, of that kind or as its name says. Nobody can use it until the agentd that runs has fetched the value;
// what it was before stays known to redaction.
func (v *Vault) SetOrigin(ctx context.Context, name, kind, place, by string) (wire.SecretInfo, error) {
	path, field, err := ParsePlace(place)
	if err != nil {
		return wire.SecretInfo{}, err
	}
	if err := CheckName(name); err != nil {
		return wire.SecretInfo{}, err
	}
	err = v.change(ctx, func(s *snapshot, now time.Time) ([]entry, error) {
		r, err := s.rowFor(name, kind, now)
		switch {
		case err != nil:
			return nil, err
		case r.meta.Staged != 0:
			return nil, fmt.Errorf("%w: %s is being rotated; try again when that has ended", ErrInvalid, name)
		case r.meta.Origin != nil && r.meta.Origin.text() == place:
			return nil, nil
		}
		r.meta.Origin, r.meta.ExpiresAt, r.changed = &origin{Path: path, Field: field}, time.Time{}, true
		return []entry{{name, r.meta.Current, actSource, by, "from " + place}}, nil
	})
	if err != nil {
		return wire.SecretInfo{}, err
	}
	return v.Info(ctx, name)
}

// UseFetched says how long a value from the external vault may be used after that has last vouched for it. A Vault that
// was not told gives out none: nobody follows the external vault in its process.
func (v *Vault) UseFetched(longest time.Duration) { v.longest.Store(int64(longest)) }

// UnusableError says why a secret that comes from the external vault is not given out. A model may read it.
type UnusableError struct{ Name, Why string }

func (e *UnusableError) Error() string {
	return fmt.Sprintf("The secret %s cannot be used now: %s.", e.Name, e.Why)
}

// Unwrap makes it an answer to the model.
func (e *UnusableError) Unwrap() error { return &tool.Refused{Text: e.Error()} }

// usable answers an UnusableError for a secret whose value may not be given out.
func (r *row) usable(now time.Time, longest time.Duration) error {
	o := r.meta.Origin
	if o == nil {
		return nil
	}
	why := ""
	switch {
	case o.Trouble.Gone():
		why = o.Trouble.Text()
	case longest <= 0:
		why = "it comes from an external vault, and agentd is told of none"
	case o.Version == 0 || r.meta.Current == 0:
		why = "its value was not fetched from the external vault yet"
	case now.Sub(o.SeenAt).Abs() >= longest: // a clock that was set back makes nothing younger
		why = fmt.Sprintf("its external vault was last heard of more than %s ago", longest)
	default:
		return nil
	}
	if o.Trouble != "" && !o.Trouble.Gone() {
		why += "; " + o.Trouble.Text()
	}
	return &UnusableError{r.name, why}
}

// usable is the same for the vault as this process uses it.
func (v *Vault) usable(r *row) error {
	return r.usable(v.now(), time.Duration(v.longest.Load()))
}

// info is what may be said about an origin.
func (o *origin) info() *wire.SecretOrigin {
	if o == nil {
		return nil
	}
	return &wire.SecretOrigin{Path: o.Path, Field: o.Field, Version: o.Version, SeenAt: o.SeenAt, Trouble: o.Trouble.Text()}
}
