package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/credential"
)

// SecretLinks keeps one-time links to secrets. It is credential.Links.
type SecretLinks struct{ DB *DB }

var _ credential.Links = (*SecretLinks)(nil)

// AddLink stores a link, and forgets those of anybody that ran out.
func (s *SecretLinks) AddLink(ctx context.Context, l credential.Link) error {
	var box *string
	if l.Box != "" {
		box = &l.Box
	}
	_, err := s.DB.Pool.Exec(ctx, `WITH old AS (DELETE FROM secret_links WHERE expires_at < $8)
		INSERT INTO secret_links (id, customer_id, kind, name, take, box, made_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		cached, l.ID, string(l.CustomerID), string(l.Kind), l.Name, l.Take, box, l.By, l.CreatedAt, l.ExpiresAt)
	if err != nil {
		return fmt.Errorf("add secret link: %w", toFault(err))
	}
	return nil
}

const linkColumns = "id::text, customer_id::text, kind, name, take, made_by, created_at, expires_at"

// Peek finds a link that could be taken now, without its box.
func (s *SecretLinks) Peek(ctx context.Context, id string, now time.Time) (credential.Link, error) {
	row := s.DB.Pool.QueryRow(ctx, "SELECT "+linkColumns+" FROM secret_links WHERE id = $1 AND taken_at IS NULL AND expires_at > $2", cached, id, now)
	return scanLink(row, nil)
}

// Take uses a link up. Two at once meet at the row: the second finds it taken.
func (s *SecretLinks) Take(ctx context.Context, id string, token []byte, now time.Time) (credential.Link, error) {
	var box *string
	row := s.DB.Pool.QueryRow(ctx, `WITH open AS (
			SELECT id AS of, box AS held FROM secret_links WHERE id = $1 AND take = $2 AND taken_at IS NULL AND expires_at > $3 FOR UPDATE)
		UPDATE secret_links SET taken_at = $3, box = NULL FROM open WHERE id = of RETURNING `+linkColumns+", held", cached, id, token, now)
	l, err := scanLink(row, &box)
	if box != nil {
		l.Box = *box
	}
	return l, err
}

func scanLink(row pgx.Row, box **string) (l credential.Link, err error) {
	to := []any{&l.ID, (*string)(&l.CustomerID), (*string)(&l.Kind), &l.Name, &l.Take, &l.By, &l.CreatedAt, &l.ExpiresAt}
	if box != nil {
		to = append(to, box)
	}
	if err := row.Scan(to...); errors.Is(err, pgx.ErrNoRows) {
		return credential.Link{}, credential.ErrLink
	} else if err != nil {
		return credential.Link{}, fmt.Errorf("secret link: %w", toFault(err))
	}
	return l, nil
}
