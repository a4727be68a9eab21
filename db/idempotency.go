package db

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/replay"
)

// Idempotency keeps the first answer to each request that carried an Idempotency-Key, and what a message was given that may
// be sent again.
type Idempotency struct{ DB *DB }

const (
	keyLife  = 24 * time.Hour
	keyStale = 2 * time.Minute // after this a request that gave no answer counts as dead
)

// idempotencyRow mirrors table idempotency_keys.
type idempotencyRow struct {
	bun.BaseModel `bun:"table:idempotency_keys,alias:k"`
	Principal     string    `bun:"principal,pk"`
	Key           string    `bun:"key,pk"`
	RequestHash   []byte    `bun:"request_hash"`
	Status        int       `bun:"status,nullzero"`
	ContentType   string    `bun:"content_type"`
	Body          []byte    `bun:"body"`
	CreatedAt     time.Time `bun:"created_at"`
}

// Claim takes the key for a request of principal with that hash. It returns nil for the first, whose caller then answers
// with Save or Release, and the first answer for a repeat.
func (s *Idempotency) Claim(ctx context.Context, principal, key string, hash []byte, now time.Time) (*replay.Answer, error) {
	row := &idempotencyRow{Principal: principal, Key: key, RequestHash: hash, CreatedAt: now}
	if added, err := s.add(ctx, row); err != nil || added {
		return nil, err
	}
	return s.first(ctx, row, hash)
}

// Pin keeps what the request with that digest is given, before anything is done with it, and returns what the first such
// request of principal was given: mine for the first, the same for every repeat within 24 hours.
func (s *Idempotency) Pin(ctx context.Context, principal string, digest, mine []byte, now time.Time) ([]byte, error) {
	row := &idempotencyRow{
		Principal: principal, Key: hex.EncodeToString(digest), RequestHash: digest, Status: http.StatusOK, Body: mine, CreatedAt: now,
	}
	if added, err := s.add(ctx, row); err != nil || added {
		return mine, err
	}
	first, err := s.first(ctx, row, digest)
	if err != nil {
		return nil, err
	}
	return first.Body, nil
}

// add adds a row unless its key is taken, and says whether it did. Keys that are too old are free again.
func (s *Idempotency) add(ctx context.Context, row *idempotencyRow) (bool, error) {
	_, err := s.DB.NewDelete().Model((*idempotencyRow)(nil)).
		Where("k.created_at < ? OR k.status IS NULL AND k.created_at < ?", row.CreatedAt.Add(-keyLife), row.CreatedAt.Add(-keyStale)).Exec(ctx)
	if err != nil {
		return false, fmt.Errorf("forget old idempotency keys: %w", toFault(err))
	}
	res, err := s.DB.NewInsert().Model(row).On("CONFLICT (principal, key) DO NOTHING").Exec(ctx)
	if err != nil {
		return false, fmt.Errorf("claim idempotency key: %w", toFault(err))
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

func (s *Idempotency) first(ctx context.Context, row *idempotencyRow, hash []byte) (*replay.Answer, error) {
	err := toFault(s.DB.NewSelect().Model(row).WherePK().Scan(ctx))
	switch {
	case errors.Is(err, ErrNotFound): // given back between the two questions: who asks again is the first
		return nil, replay.ErrBusy
	case err != nil:
		return nil, fmt.Errorf("load idempotency key: %w", err)
	case string(row.RequestHash) != string(hash):
		return nil, replay.ErrReused
	case row.Status == 0:
		return nil, replay.ErrBusy
	}
	return &replay.Answer{Status: row.Status, ContentType: row.ContentType, Body: row.Body}, nil
}

// Save keeps the answer to the request that claimed the key.
func (s *Idempotency) Save(ctx context.Context, principal, key string, a replay.Answer) error {
	if a.Body == nil {
		a.Body = []byte{}
	}
	_, err := s.DB.NewUpdate().Model((*idempotencyRow)(nil)).Set("status = ?", a.Status).Set("content_type = ?", a.ContentType).
		Set("body = ?", a.Body).Where("k.principal = ?", principal).Where("k.key = ?", key).Exec(ctx)
	if err != nil {
		return fmt.Errorf("save answer: %w", toFault(err))
	}
	return nil
}

// Release gives the key back when its request failed on our side, so that it may be tried again.
func (s *Idempotency) Release(ctx context.Context, principal, key string) error {
	_, err := s.DB.NewDelete().Model((*idempotencyRow)(nil)).
		Where("k.principal = ?", principal).Where("k.key = ?", key).Where("k.status IS NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("release idempotency key: %w", toFault(err))
	}
	return nil
}
