package vault

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// allowance is what is taken from those who are held back: new versions of one secret within a day, of all secrets
// together within a day, and how many secrets there may be before a new name is one too many.
type allowance struct {
	from                string
	ofOne, ofAll, names int
}

// What agents give counts for both, and agents are held back first: what is left is for people, who have to be able to
// replace a value that has leaked, whatever an agent was led to do.
var (
	fromPeople = allowance{"here", 20, 200, 1000}
	fromAgents = allowance{"an agent", 10, 50, 900}
)

// ErrTooMany says that no more new values are taken from here for now. What follows it is worded for people.
var ErrTooMany = errors.New("too many new values")

// Sparing is for acts by which a person who is not on the server itself gives a secret a new version: former ones are
// kept for months, so without a bound such an act could be repeated until the machine is full. Beyond it the act
// answers ErrTooMany, and nothing of it is kept. What the operator and the external vault do counts, and is never held
// back; of the values of all secrets within a day, what came in a file or from the external vault does not count, for
// a business begins with some hundred of them. Nor do secrets count that were removed, which takes the operator or a
// signature of the owner. A clock that is set back counts more, not less.
func (v *Vault) Sparing(ctx context.Context, name string) Also {
	return v.sparing(ctx, name, fromPeople)
}

// SparingAgents is Sparing for acts of agents.
func (v *Vault) SparingAgents(ctx context.Context, name string) Also {
	return v.sparing(ctx, name, fromAgents)
}

func (v *Vault) sparing(ctx context.Context, name string, a allowance) Also {
	ctx = context.WithoutCancel(ctx)
	return func(tx *sql.Tx) error {
		now, fresh := v.now(), false
		names, ofOne, ofAll := 0, 0, 0
		err := each(ctx, tx, "SELECT name, meta FROM vault_secrets", func(scan func(...any) error) error {
			var of string
			var text []byte
			if err := scan(&of, &text); err != nil {
				return err
			}
			var m meta
			if err := json.Unmarshal(text, &m); err != nil {
				return ErrTampered
			}
			all, single := m.lately(now)
			if of == name {
				fresh, ofOne = len(m.Versions) == 1, all
			}
			if m.Current != 0 || m.Origin != nil {
				names++
			}
			ofAll += single
			return nil
		})
		if err != nil {
			return fmt.Errorf("count versions of %s: %w", name, err)
		}
		return a.check(fresh, names, ofOne, ofAll)
	}
}

// check says whether it was too much, of counts with the new version among them.
func (a allowance) check(fresh bool, names, ofOne, ofAll int) error {
	switch {
	case ofOne > a.ofOne:
		return fmt.Errorf("%w: this secret had %d new values within a day and gets no more from %s, so nothing was kept and its value is what it was; try again tomorrow, or set it on the server itself, with agentd secrets rotate", ErrTooMany, ofOne-1, a.from)
	case ofAll > a.ofAll:
		return fmt.Errorf("%w: the secrets of this server had %d new values within a day and get no more from %s, so nothing was kept and each value is what it was; try again tomorrow, or set it on the server itself, with agentd secrets set", ErrTooMany, ofAll-1, a.from)
	case fresh && names > a.names:
		return fmt.Errorf("%w: this server keeps %d secrets and takes no new ones from %s, so nothing was kept; give one that is there a new value, or set the new one on the server itself, with agentd secrets set", ErrTooMany, names-1, a.from)
	}
	return nil
}

// lately counts the versions that were made within the last day, and those among them that came one by one: neither in
// a file nor from the external vault.
func (m *meta) lately(now time.Time) (all, single int) {
	for _, ver := range m.Versions {
		if now.Sub(ver.CreatedAt) >= 24*time.Hour {
			continue
		}
		all++
		if !ver.Filed && ver.There == 0 {
			single++
		}
	}
	return all, single
}
