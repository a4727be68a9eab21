package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/modelkey"
	"gatehouse/app/server"
)

// ModelKeys keeps the keys of servers at the model provider. It is modelkey.Store.
type ModelKeys struct {
	DB   *DB
	Keys *Keyring
}

var _ modelkey.Store = (*ModelKeys)(nil)

// modelKeyRow mirrors table model_keys.
type modelKeyRow struct {
	bun.BaseModel `bun:"table:model_keys,alias:mk"`
	ServerID      string    `bun:"server_id,pk"`
	KeyID         string    `bun:"key_id"`
	Account       string    `bun:"account"`
	Sealed        []byte    `bun:"sealed"`
	MadeAt        time.Time `bun:"made_at"`
	Since         time.Time `bun:"since"`
}

func (r modelKeyRow) key() modelkey.Key {
	return modelkey.Key{Server: server.ID(r.ServerID), ID: r.KeyID, Account: r.Account, MadeAt: r.MadeAt, Since: r.Since}
}

// Ensure gives the key of a server with its secret. Where it has none, it keeps what fresh makes. Other workers wait meanwhile at a lock
// of the server: of two keys of one name the provider would keep the later one.
func (s *ModelKeys) Ensure(
	ctx context.Context, id server.ID, fresh func(context.Context) (modelkey.Key, error),
) (k modelkey.Key, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext('model key'), hashtext(?))", id); err != nil {
			return fmt.Errorf("lock key of server: %w", toFault(err))
		}
		k, err = s.of(ctx, tx, id)
		if !errors.Is(err, ErrNotFound) {
			return err
		}
		if k, err = fresh(ctx); err != nil {
			return err
		}
		row := &modelKeyRow{
			ServerID: string(k.Server), KeyID: k.ID, Account: k.Account, MadeAt: k.MadeAt, Since: k.Since,
			Sealed: s.Keys.Seal("model_keys", string(k.Server), "sealed", []byte(k.Secret)),
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return fmt.Errorf("keep key of server: %w", toFault(err))
		}
		return nil
	})
	return k, err
}

// of reads the key of a server; ErrNotFound: it has none, or had one that was ended.
func (s *ModelKeys) of(ctx context.Context, tx Tx, id server.ID) (modelkey.Key, error) {
	var r modelKeyRow
	err := toFault(tx.NewSelect().Model(&r).Where("mk.server_id = ?", id).Where("mk.ended_at IS NULL").Scan(ctx))
	if err != nil {
		return modelkey.Key{}, fmt.Errorf("key of server: %w", err)
	}
	k := r.key()
	secret, err := s.Keys.Open("model_keys", r.ServerID, "sealed", r.Sealed)
	if err != nil {
		return modelkey.Key{}, fmt.Errorf("key of server %s: %w", id, err)
	}
	k.Secret = string(secret)
	return k, nil
}

// All lists keys that are in use.
func (s *ModelKeys) All(ctx context.Context) ([]modelkey.Key, error) {
	return s.list(ctx, "NOT EXISTS (SELECT FROM servers AS s WHERE s.id = mk.server_id AND s.state = 'revoked')")
}

// Left lists keys of servers that are cut off for good.
func (s *ModelKeys) Left(ctx context.Context) ([]modelkey.Key, error) {
	return s.list(ctx, "EXISTS (SELECT FROM servers AS s WHERE s.id = mk.server_id AND s.state = 'revoked')")
}

func (s *ModelKeys) list(ctx context.Context, which string) ([]modelkey.Key, error) {
	var rows []modelKeyRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).ExcludeColumn("sealed").Where("mk.ended_at IS NULL").Where(which).
		Order("mk.server_id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list keys of servers: %w", toFault(err))
	}
	return each(rows, modelKeyRow.key), nil
}

// Ended notes that a key was ended, and forgets its secret.
func (s *ModelKeys) Ended(ctx context.Context, id server.ID, at time.Time) error {
	_, err := s.DB.bun(ctx).NewUpdate().Model((*modelKeyRow)(nil)).Set("ended_at = ?", at).Set("sealed = NULL").
		Where("mk.server_id = ?", id).Where("mk.ended_at IS NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("end key of server: %w", toFault(err))
	}
	return nil
}

// Compared keeps how a comparison ended. What was told before stays where nothing new is.
func (s *ModelKeys) Compared(ctx context.Context, id server.ID, since time.Time, off string, at time.Time) error {
	_, err := s.DB.bun(ctx).NewUpdate().Model((*modelKeyRow)(nil)).Set("since = ?", since).Set("off = coalesce(nullif(?, ''), off)", off).
		Set("compared_at = ?", at).Where("mk.server_id = ?", id).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note comparison of a key: %w", toFault(err))
	}
	return nil
}
