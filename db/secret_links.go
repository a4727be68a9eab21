package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/credential"
)

// SecretLinks keeps one-time links to secrets. It is credential.Links.
type SecretLinks struct{ DB *DB }

var _ credential.Links = (*SecretLinks)(nil)

// secretLinkRow mirrors table secret_links.
type secretLinkRow struct {
	bun.BaseModel `bun:"table:secret_links,alias:l"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	Kind          string    `bun:"kind"`
	Name          string    `bun:"name"`
	Take          []byte    `bun:"take"`
	Box           string    `bun:"box,nullzero"`
	MadeBy        string    `bun:"made_by"`
	CreatedAt     time.Time `bun:"created_at"`
	ExpiresAt     time.Time `bun:"expires_at"`
	TakenAt       time.Time `bun:"taken_at,nullzero"`
}

func toSecretLinkRow(l credential.Link) *secretLinkRow {
	return &secretLinkRow{
		ID: l.ID, CustomerID: string(l.CustomerID), Kind: string(l.Kind), Name: l.Name, Take: l.Take, Box: l.Box, MadeBy: l.By,
		CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt,
	}
}

func (r secretLinkRow) link() credential.Link {
	return credential.Link{
		ID: r.ID, CustomerID: account.CustomerID(r.CustomerID), Kind: credential.LinkKind(r.Kind), Name: r.Name, Take: r.Take,
		Box: r.Box, By: r.MadeBy, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt,
	}
}

// AddLink stores a link, and forgets those of anybody that ran out.
func (s *SecretLinks) AddLink(ctx context.Context, l credential.Link) error {
	old := s.DB.NewDelete().Model((*secretLinkRow)(nil)).Where("l.expires_at < ?", l.CreatedAt)
	if _, err := s.DB.NewInsert().With("old", old).Model(toSecretLinkRow(l)).Exec(ctx); err != nil {
		return fmt.Errorf("add secret link: %w", toFault(err))
	}
	return nil
}

// open selects the link into row if it could be taken now.
func (row *secretLinkRow) open(db bun.IDB, id string, now time.Time) *bun.SelectQuery {
	return db.NewSelect().Model(row).Where("l.id = ?", id).Where("l.taken_at IS NULL").Where("l.expires_at > ?", now)
}

// Peek finds a link that could be taken now, without its box.
func (s *SecretLinks) Peek(ctx context.Context, id string, now time.Time) (credential.Link, error) {
	var row secretLinkRow
	err := noLink(row.open(s.DB, id, now).ExcludeColumn("box").Scan(ctx))
	return row.link(), err
}

// Take uses a link up. Two at once meet at the lock on the row: the second finds it taken.
func (s *SecretLinks) Take(ctx context.Context, id string, token []byte, now time.Time) (credential.Link, error) {
	var row secretLinkRow
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := row.open(tx, id, now).Where("l.take = ?", token).For("UPDATE").Scan(ctx); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model((*secretLinkRow)(nil)).Set("taken_at = ?", now).Set("box = NULL").Where("l.id = ?", id).Exec(ctx)
		return err
	})
	if err != nil {
		return credential.Link{}, noLink(err)
	}
	return row.link(), nil
}

// noLink answers credential.ErrLink when there was no row.
func noLink(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return credential.ErrLink
	}
	if err != nil {
		return fmt.Errorf("secret link: %w", toFault(err))
	}
	return nil
}
