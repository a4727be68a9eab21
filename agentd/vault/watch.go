package vault

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// watchEvery is how soon a running agentd notices what another process has changed. A value is never given out before
// redaction knows it, whatever this is: whoever asks for one reads the version first.
const watchEvery = 500 * time.Millisecond

// Run looks for changes that other processes make, until ctx ends. failed hears of what keeps it from that, once per
// kind of trouble.
func (v *Vault) Run(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	said, seen := "", int64(-1)
	for {
		err := v.seen(ctx, &seen)
		if err != nil && ctx.Err() == nil && err.Error() != said {
			failed(err)
		}
		said = ""
		if err != nil {
			said = err.Error()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// seen reads the vault when it has changed, and leaves word of it.
func (v *Vault) seen(ctx context.Context, last *int64) error {
	if err := v.refresh(ctx); err != nil {
		return err
	}
	now := v.at.Load().version
	if now == *last {
		return nil
	}
	err := v.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.WithoutCancel(ctx), "INSERT INTO vault_watch (id, version) VALUES (1,?) ON CONFLICT (id) DO UPDATE SET version = excluded.version", now)
		return err
	})
	if err == nil {
		*last = now
		v.waiting.wake()
	}
	return err
}

// Noticed waits until the agentd that runs on the same state has read the vault as it now stands, or ctx ends.
func (v *Vault) Noticed(ctx context.Context) error {
	tick := time.NewTicker(watchEvery / 10)
	defer tick.Stop()
	for {
		var seen int64
		err := v.db.Read().QueryRowContext(ctx, "SELECT version FROM vault_watch WHERE id = 1").Scan(&seen)
		if err == nil && seen >= v.at.Load().version {
			return nil
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("wait for agentd: %w", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
