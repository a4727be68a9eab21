package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/work"
)

// mailLinkRow mirrors table mail_links.
type mailLinkRow struct {
	bun.BaseModel `bun:"table:mail_links,alias:l"`
	Hash          []byte    `bun:"hash,pk"`
	Kind          string    `bun:"kind"`
	UserID        string    `bun:"user_id"`
	CreatedAt     time.Time `bun:"created_at"`
	ExpiresAt     time.Time `bun:"expires_at"`
	UsedAt        time.Time `bun:"used_at,nullzero"`
}

// AddLink stores a link that was mailed, and forgets those of anybody that ran out a day ago.
func (s *Accounts) AddLink(ctx context.Context, l account.Link) error {
	row := &mailLinkRow{Hash: l.Hash, Kind: string(l.Kind), UserID: string(l.UserID), CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt}
	if _, err := s.DB.NewInsert().Model(row).Exec(ctx); err != nil {
		return fmt.Errorf("add link: %w", toFault(err))
	}
	_, err := s.DB.NewDelete().Model((*mailLinkRow)(nil)).Where("l.expires_at < ?", l.CreatedAt.Add(-24*time.Hour)).Exec(ctx)
	return err
}

// PeekLink returns the person of a link that could be used now.
func (s *Accounts) PeekLink(ctx context.Context, kind account.LinkKind, hash []byte, now time.Time) (account.User, error) {
	return linkUser(ctx, s.DB, kind, hash, now, false)
}

// UseLink uses a link up and applies what it was for. Two at once meet at the lock on the link: the second finds it used.
func (s *Accounts) UseLink(
	ctx context.Context, kind account.LinkKind, hash []byte, now time.Time, use account.LinkUse,
) (account.User, error) {
	var u account.User
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) (err error) {
		if u, err = linkUser(ctx, tx, kind, hash, now, true); err != nil {
			return err
		}
		if err := useUp(ctx, tx, kind, hash, u.ID, now); err != nil {
			return err
		}
		follow := use.Follow
		if !u.Verified() {
			u.VerifiedAt = now // whoever reads the mail has the address
			follow = append(follow, work.RefreshTeam{CustomerID: string(u.CustomerID), UserID: string(u.ID)})
		}
		q := tx.NewUpdate().Model((*userRow)(nil)).Set("verified_at = ?", u.VerifiedAt).Where("u.id = ?", u.ID)
		if kind == account.LinkReset {
			q = q.Set("password_hash = ?", use.PasswordHash)
		}
		if _, err = q.Exec(ctx); err != nil {
			return toFault(err)
		}
		if use.Record.Action != "" {
			if err := writeAudit(ctx, tx, use.Record); err != nil {
				return err
			}
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, follow)
	})
	return u, err
}

// linkUser finds the person of a link that works, and locks the link when it is to be used.
func linkUser(ctx context.Context, tx bun.IDB, kind account.LinkKind, hash []byte, now time.Time, lock bool) (account.User, error) {
	var link mailLinkRow
	q := tx.NewSelect().Model(&link).Where("l.hash = ?", hash).Where("l.kind = ?", kind)
	if lock {
		q = q.For("UPDATE")
	}
	if err := toFault(q.Scan(ctx)); errors.Is(err, ErrNotFound) {
		return account.User{}, account.ErrLink
	} else if err != nil {
		return account.User{}, fmt.Errorf("load link: %w", err)
	}
	if !link.UsedAt.IsZero() || !now.Before(link.ExpiresAt) {
		return account.User{}, account.ErrLink
	}
	var row userRow
	if err := tx.NewSelect().Model(&row).Where("u.id = ?", link.UserID).Scan(ctx); err != nil {
		return account.User{}, fmt.Errorf("load user of link: %w", toFault(err))
	}
	return row.user(), nil
}

// useUp marks the link used. One to sign in voids the person's others with it, one for a new password those to sign in too.
func useUp(ctx context.Context, tx bun.IDB, kind account.LinkKind, hash []byte, id account.UserID, now time.Time) error {
	q := tx.NewUpdate().Model((*mailLinkRow)(nil)).Set("used_at = ?", now).Where("l.used_at IS NULL")
	switch kind {
	case account.LinkReset:
		q = q.Where("l.user_id = ?", id).Where("l.kind <> ?", account.LinkVerify)
	case account.LinkSignIn:
		q = q.Where("l.user_id = ?", id).Where("l.kind = ?", kind)
	default:
		q = q.Where("l.hash = ?", hash)
	}
	_, err := q.Exec(ctx)
	return toFault(err)
}
