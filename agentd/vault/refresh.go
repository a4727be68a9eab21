package vault

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/wire"
)

// External is how the agentd of a server stands with the external vault.
type External struct {
	Address  string    // as it was told; empty: of none
	Trouble  Trouble   // of the external vault as a whole
	LookedAt time.Time // when it last asked; zero: never
	Secrets  []ExternalSecret
}

// ExternalSecret is one secret that comes from there.
type ExternalSecret struct {
	Name string
	wire.SecretOrigin
	Gone bool // it may not be used, however young it is
}

// ReadExternal reads that without the vault's key, so nothing vouches for it: it is for looking at, not for decisions.
func ReadExternal(ctx context.Context, q queryer) (e External, err error) {
	var there int
	if err := q.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE name = 'vault_external'").Scan(&there); err != nil || there == 0 {
		return e, err
	}
	var at int64
	err = q.QueryRowContext(ctx, "SELECT address, trouble, looked_at FROM vault_external WHERE id = 1").Scan(&e.Address, &e.Trouble, &at)
	if err != nil {
		return e, fmt.Errorf("read external vault: %w", err)
	}
	if at != 0 {
		e.LookedAt = time.UnixMicro(at).UTC()
	}
	err = each(ctx, q, "SELECT name, meta FROM vault_secrets", func(scan func(...any) error) error {
		var name, text string
		if err := scan(&name, &text); err != nil {
			return err
		}
		var m meta
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			return err
		}
		if m.Origin != nil {
			e.Secrets = append(e.Secrets, ExternalSecret{name, *m.Origin.info(), m.Origin.Trouble.Gone()})
		}
		return nil
	})
	slices.SortFunc(e.Secrets, func(a, b ExternalSecret) int { return strings.Compare(a.Name, b.Name) })
	return e, err
}

// AskRefresh asks the agentd that runs to look at the external vault now. It gives the number to wait for.
func (v *Vault) AskRefresh(ctx context.Context) (n int64, err error) {
	err = v.db.Write(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(context.WithoutCancel(ctx), "UPDATE vault_external SET asked = asked + 1 WHERE id = 1 RETURNING asked").Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("ask for a look at the external vault: %w", err)
	}
	return n, nil
}

// Asked gives how many looks were asked for, and how many of them are done.
func (v *Vault) Asked(ctx context.Context) (asked, done int64, err error) {
	err = v.db.Read().QueryRowContext(ctx, "SELECT asked, done FROM vault_external WHERE id = 1").Scan(&asked, &done)
	if err != nil {
		return 0, 0, fmt.Errorf("read external vault: %w", err)
	}
	return asked, done, nil
}

// Looked leaves word of a look at the external vault: when, and how it stands. All looks up to asked are done by it.
func (v *Vault) Looked(ctx context.Context, e External, asked int64) error {
	at := int64(0)
	if !e.LookedAt.IsZero() {
		at = e.LookedAt.UnixMicro()
	}
	err := v.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.WithoutCancel(ctx), "UPDATE vault_external SET address = ?, trouble = ?, looked_at = ?, done = max(done, ?) WHERE id = 1",
			e.Address, string(e.Trouble), at, asked)
		return err
	})
	if err != nil {
		return fmt.Errorf("note external vault: %w", err)
	}
	return nil
}

// Refreshed waits until a look that was asked for is done, or ctx ends.
func (v *Vault) Refreshed(ctx context.Context, n int64) error {
	tick := time.NewTicker(watchEvery / 10)
	defer tick.Stop()
	for {
		_, done, err := v.Asked(ctx)
		if err != nil || done >= n {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
