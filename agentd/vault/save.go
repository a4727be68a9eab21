package vault

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// save writes what changed since load, and the root over it all, as the next version.
func (s *snapshot) save(ctx context.Context, tx *sql.Tx) error {
	s.version++
	for _, r := range s.sorted() {
		if !r.changed {
			continue
		}
		if err := r.save(ctx, tx); err != nil {
			return fmt.Errorf("keep secret %s: %w", r.name, err)
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO vault_state (id, version, key_id, kdf, root) VALUES (1,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET version = excluded.version, key_id = excluded.key_id, kdf = excluded.kdf, root = excluded.root`,
		s.version, s.keyID, s.kdf, rootOf(s.key, s))
	if err != nil {
		return fmt.Errorf("keep vault: %w", err)
	}
	return nil
}

func (r *row) save(ctx context.Context, tx *sql.Tx) error {
	var err error
	if r.metaJSON, err = json.Marshal(r.meta); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO vault_secrets (id, name, meta) VALUES (?,?,?)
		ON CONFLICT (id) DO UPDATE SET meta = excluded.meta`, r.id, r.name, string(r.metaJSON))
	if err != nil {
		return err
	}
	for _, v := range r.versions {
		_, err = tx.ExecContext(ctx, `INSERT INTO vault_versions (secret_id, n, dek, sealed) VALUES (?,?,?,?)
			ON CONFLICT (secret_id, n) DO UPDATE SET dek = excluded.dek`, r.id, v.n, v.dek, v.sealed)
		if err != nil {
			return err
		}
	}
	if err := r.dropOld(ctx, tx); err != nil || r.meta.Current == 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE vault_requests SET state = ? WHERE name = ? AND state = ?", Provided, r.name, Pending)
	return err
}

// dropOld removes the rows of versions that trim has let go.
func (r *row) dropOld(ctx context.Context, tx *sql.Tx) error {
	kept, err := json.Marshal(r.meta.Versions)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM vault_versions WHERE secret_id = ?
		AND n NOT IN (SELECT value ->> 'n' FROM json_each(?))`, r.id, string(kept))
	return err
}
