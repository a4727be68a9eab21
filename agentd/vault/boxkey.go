package vault

import (
	"context"
	"crypto/ecdh"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// The key pair for boxes is kept like a value, under a row name that no secret can have.
const (
	boxID   = "box-key"
	boxName = "box key"
)

type boxRow struct {
	public      string
	dek, sealed []byte
	made        int64
}

func loadBox(ctx context.Context, q queryer) (b boxRow, err error) {
	err = q.QueryRowContext(ctx, "SELECT public, dek, sealed, made_at FROM vault_box_key WHERE id = 1").Scan(&b.public, &b.dek, &b.sealed, &b.made)
	return b, err
}

// BoxKey gives the key pair to which browsers seal values, and since when it is; the first call makes it.
func (v *Vault) BoxKey(ctx context.Context) (*ecdh.PrivateKey, time.Time, error) {
	if err := v.refresh(ctx); err != nil {
		return nil, time.Time{}, err
	}
	b, err := loadBox(ctx, v.db.Read())
	if errors.Is(err, sql.ErrNoRows) {
		if err := v.db.Write(ctx, func(tx *sql.Tx) error { return v.makeBox(context.WithoutCancel(ctx), tx) }); err != nil {
			return nil, time.Time{}, err
		}
		b, err = loadBox(ctx, v.db.Read())
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read box key: %w", err)
	}
	k, err := v.at.Load().openBox(b)
	return k, time.Unix(b.made, 0).UTC(), err
}

func (s *snapshot) openBox(b boxRow) (*ecdh.PrivateKey, error) {
	dek, err := open(s.key.bytes(), b.dek, wrapData(boxID, boxName, 1, s.keyID))
	if err != nil {
		return nil, err
	}
	raw, err := open(dek, b.sealed, valueData(boxID, boxName+"\n"+b.public, 1))
	if err != nil {
		return nil, err
	}
	k, err := ecdh.P256().NewPrivateKey(raw)
	if err != nil || base64.RawURLEncoding.EncodeToString(k.PublicKey().Bytes()) != b.public {
		return nil, ErrTampered
	}
	return k, nil
}

// makeBox keeps a new key pair, unless another process was faster.
func (v *Vault) makeBox(ctx context.Context, tx *sql.Tx) error {
	if _, err := loadBox(ctx, tx); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	s, err := v.inTx(ctx, tx)
	if err != nil {
		return err
	}
	k, public, err := wire.NewSecretKey()
	if err != nil {
		return err
	}
	dek := random(32)
	sealed, err := seal(dek, k.Bytes(), valueData(boxID, boxName+"\n"+public, 1))
	if err != nil {
		return err
	}
	wrapped, err := seal(s.key.bytes(), dek, wrapData(boxID, boxName, 1, s.keyID))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO vault_box_key (id, public, dek, sealed, made_at) VALUES (1,?,?,?,?)", public, wrapped, sealed, v.now().Unix())
	return err
}

// boxRewrap wraps its data key with a new master key.
func (v *Vault) boxRewrap(ctx context.Context, tx *sql.Tx, s *snapshot, key Key) error {
	b, err := loadBox(ctx, tx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read box key: %w", err)
	}
	dek, err := open(s.key.bytes(), b.dek, wrapData(boxID, boxName, 1, s.keyID))
	if err != nil {
		return err
	}
	wrapped, err := seal(key.bytes(), dek, wrapData(boxID, boxName, 1, key.id))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE vault_box_key SET dek = ? WHERE id = 1", wrapped)
	return err
}
