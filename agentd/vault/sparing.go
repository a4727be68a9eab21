package vault

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// What is taken from those whom Sparing holds back: new versions of one secret within a day, of all secrets together
// within a day, and how many secrets there may be before a new name is one too many.
const (
	takenDaily      = 20
	takenDailyInAll = 200
	takenNames      = 1000
)

// ErrTooMany says that no more new values are taken from here for now. What follows it is worded for people.
var ErrTooMany = errors.New("too many new values")

var (
	errOfOne = fmt.Errorf("%w: this secret had %d new values within a day and gets no more from here, so nothing was kept and its value is what it was; try again tomorrow, or set it on the server itself, with agentd secrets rotate", ErrTooMany, takenDaily)
	errOfAll = fmt.Errorf("%w: the secrets of this server had %d new values within a day and get no more from here, so nothing was kept and each value is what it was; try again tomorrow, or set it on the server itself, with agentd secrets set", ErrTooMany, takenDailyInAll)
	errNames = fmt.Errorf("%w: this server keeps %d secrets and takes no new ones from here, so nothing was kept; give one that is there a new value, or set the new one on the server itself, with agentd secrets set", ErrTooMany, takenNames)
)

// Sparing is for acts by which anybody who is not on the server itself gives a secret a new version: former ones are
// kept for months, so without a bound such an act could be repeated until the machine is full. Beyond it the act
// answers ErrTooMany, and nothing of it is kept. What the operator and the external vault do counts, and is never held
// back; of the values of all secrets within a day, what came in a file or from the external vault does not count, for
// a business begins with some hundred of them. A clock that is set back counts more, not less.
func (v *Vault) Sparing(ctx context.Context, name string) Also {
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
			names, ofAll = names+1, ofAll+single
			return nil
		})
		switch {
		case err != nil:
			return fmt.Errorf("count versions of %s: %w", name, err)
		case ofOne > takenDaily:
			return errOfOne
		case ofAll > takenDailyInAll:
			return errOfAll
		case fresh && names > takenNames:
			return errNames
		}
		return nil
	}
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
