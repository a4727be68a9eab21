package vault

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/vault/secret"
)

// Rekey puts a new master key in the place of the old: a new key file, or one made from a passphrase. All data keys
// are wrapped anew in one transaction; no value is touched. Killed at any moment, the vault opens with one of the two.
func (v *Vault) Rekey(ctx context.Context, passphrase *secret.Value, by string) error {
	release, err := v.keys.alone(0)
	if err != nil {
		return err
	}
	defer release()
	key, kdfText := newKey(), ""
	if passphrase != nil {
		if key, kdfText, err = fromPhrase(*passphrase); err != nil {
			return err
		}
	} else if err := writeKey(v.keys.Dir, nextName, key); err != nil {
		return err
	}
	failpoint.Hit("vault-rekey-staged")
	if err := v.rewrap(ctx, key, kdfText, by); err != nil {
		return err
	}
	failpoint.Hit("vault-rekey-committed")
	if passphrase != nil {
		return v.dropKeyFile()
	}
	return v.keys.promote()
}

func (v *Vault) rewrap(ctx context.Context, key Key, kdfText, by string) error {
	now := v.now().UTC()
	err := v.db.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx)
		s, err := load(ctx, tx, v.find)
		if err != nil {
			return err
		}
		if err := s.rewrap(key, kdfText); err != nil {
			return err
		}
		if err := v.boxRewrap(ctx, tx, s, key); err != nil {
			return err
		}
		s.keyID, s.kdf, s.key = key.id, kdfText, key
		if err := s.save(ctx, tx); err != nil {
			return err
		}
		return v.note(ctx, tx, now, entry{act: actRekey, by: by, purpose: "master key " + key.id})
	})
	if err != nil {
		return fmt.Errorf("change master key: %w", err)
	}
	return v.adopt(ctx, key)
}

// rewrap wraps every data key with the new master key.
func (s *snapshot) rewrap(key Key, kdfText string) error {
	for _, r := range s.rows {
		for i, ver := range r.versions {
			dek, err := open(s.key.bytes(), ver.dek, wrapData(r.id, r.name, ver.n, s.keyID))
			if err != nil {
				return err
			}
			if r.versions[i].dek, err = seal(key.bytes(), dek, wrapData(r.id, r.name, ver.n, key.id)); err != nil {
				return err
			}
		}
		r.changed = true
	}
	return nil
}

// adopt makes this process know its new key before it reads the vault again.
func (v *Vault) adopt(ctx context.Context, key Key) error {
	v.mu.Lock()
	s := *v.at.Load()
	s.keyID, s.key, s.version = key.id, key, s.version-1 // older than what is stored: it is read anew
	v.at.Store(&s)
	v.mu.Unlock()
	return v.refresh(context.WithoutCancel(ctx))
}

// dropKeyFile takes the former key off the disk once a passphrase stands in its place.
func (v *Vault) dropKeyFile() error {
	for _, name := range []string{keyName, nextName} {
		path := filepath.Join(v.keys.Dir, name)
		if _, err := os.Lstat(path); err != nil {
			continue // it is not there
		}
		if err := Shred(path); err != nil {
			return err
		}
	}
	return nil
}

// KeyID names the master key in use, and says since when it is.
func (v *Vault) KeyID(ctx context.Context) (string, time.Time, error) {
	if err := v.refresh(ctx); err != nil {
		return "", time.Time{}, err
	}
	var at int64
	err := v.db.Read().QueryRowContext(ctx, "SELECT coalesce(max(time), 0) FROM vault_audit WHERE act = ?", actRekey).Scan(&at)
	if at == 0 {
		return v.at.Load().keyID, time.Time{}, err
	}
	return v.at.Load().keyID, time.UnixMicro(at).UTC(), err
}
