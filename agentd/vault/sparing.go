package vault

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// takenDaily is how many new versions of one secret are taken within a day from those whom Sparing holds back.
const takenDaily = 20

// ErrTooMany says that a secret had so many new versions lately that it gets no more for now.
var ErrTooMany = fmt.Errorf("this secret had %d new values within a day and gets no more from here; try again tomorrow, or set it on the server itself with agentd secrets rotate", takenDaily)

// Sparing is for acts by which anybody who is not on the server itself gives a secret a new version: former ones are
// kept for months, so without a bound such an act could be repeated until the machine is full. Beyond it the act
// answers ErrTooMany, and nothing of it is kept. What the operator and the external vault do counts, and is never held
// back. A clock that is set back counts more, not less.
func (v *Vault) Sparing(ctx context.Context, name string) Also {
	ctx = context.WithoutCancel(ctx)
	return func(tx *sql.Tx) error {
		var text []byte
		if err := tx.QueryRowContext(ctx, "SELECT meta FROM vault_secrets WHERE name = ?", name).Scan(&text); err != nil {
			return fmt.Errorf("count versions of %s: %w", name, err)
		}
		var m meta
		if err := json.Unmarshal(text, &m); err != nil {
			return ErrTampered
		}
		n := 0
		for _, ver := range m.Versions {
			if v.now().Sub(ver.CreatedAt) < 24*time.Hour {
				n++
			}
		}
		if n > takenDaily {
			return ErrTooMany
		}
		return nil
	}
}
