package db

import (
	"context"
	"errors"
	"fmt"
)

// HubSecrets keeps secrets of the hub itself, closed with its key file. All processes of the hub share them.
type HubSecrets struct {
	DB   *DB
	Keys *Keyring
}

// Get opens the secret of that name. The first process that asks for it makes it.
func (s *HubSecrets) Get(ctx context.Context, name string, make func() ([]byte, error)) ([]byte, error) {
	var box []byte
	const find = "SELECT sealed FROM hub_secrets WHERE name = @name"
	err := toFault(s.DB.pgx(ctx).QueryRow(ctx, find, named{"name": name}).Scan(&box))
	if errors.Is(err, ErrNotFound) {
		if err = s.add(ctx, name, make); err == nil {
			err = toFault(s.DB.pgx(ctx).QueryRow(ctx, find, named{"name": name}).Scan(&box))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("secret %s of the hub: %w", name, err)
	}
	plain, err := s.Keys.Open("hub_secrets", name, "sealed", box)
	if err != nil {
		return nil, fmt.Errorf("secret %s of the hub: %w", name, err)
	}
	return plain, nil
}

// add keeps a new secret, unless another process came first.
func (s *HubSecrets) add(ctx context.Context, name string, make func() ([]byte, error)) error {
	plain, err := make()
	if err != nil {
		return err
	}
	_, err = s.DB.pgx(ctx).Exec(ctx, "INSERT INTO hub_secrets (name, sealed) VALUES (@name, @sealed) ON CONFLICT (name) DO NOTHING",
		named{"name": name, "sealed": s.Keys.Seal("hub_secrets", name, "sealed", plain)})
	return toFault(err)
}
