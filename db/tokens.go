package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
)

// Tokens keeps tokens for the API. It is account.TokenStore.
type Tokens struct{ DB *DB }

var _ account.TokenStore = (*Tokens)(nil)

// tokenRow mirrors table api_tokens.
type tokenRow struct {
	bun.BaseModel `bun:"table:api_tokens,alias:t"`
	ID            string    `bun:"id,pk"`
	Hash          []byte    `bun:"hash"`
	Scope         string    `bun:"scope"`
	CustomerID    string    `bun:"customer_id,nullzero"`
	UserID        string    `bun:"user_id,nullzero"`
	StaffID       string    `bun:"staff_id,nullzero"`
	Name          string    `bun:"name"`
	Hint          string    `bun:"hint"`
	CreatedAt     time.Time `bun:"created_at"`
	ExpiresAt     time.Time `bun:"expires_at,nullzero"`
	UsedAt        time.Time `bun:"used_at,nullzero"`
	RevokedAt     time.Time `bun:"revoked_at,nullzero"`
}

func (r tokenRow) token() account.Token {
	return account.Token{
		ID: r.ID, Scope: account.Scope(r.Scope), CustomerID: account.CustomerID(r.CustomerID), UserID: account.UserID(r.UserID),
		StaffID: r.StaffID, Name: r.Name, Hint: r.Hint, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt, UsedAt: r.UsedAt,
	}
}

// Add stores a token by its hash and records who made it.
func (s *Tokens) Add(ctx context.Context, t account.Token, hash []byte, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row := &tokenRow{
			ID: t.ID, Hash: hash, Scope: string(t.Scope), CustomerID: string(t.CustomerID), UserID: string(t.UserID),
			StaffID: t.StaffID, Name: t.Name, Hint: t.Hint, CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt,
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return toFault(err)
		}
		return writeAudit(ctx, tx, e)
	})
}

// useEvery is how exact the time of a token's last use is: a write for every request would cost more than it tells.
const useEvery = time.Minute

// Bearer finds whom the token of that hash stands for. A revoked or expired token, and one of somebody who was switched
// off, is not found.
func (s *Tokens) Bearer(ctx context.Context, hash []byte, now time.Time) (account.Bearer, error) {
	var row struct {
		tokenRow `bun:",extend"`
		Email    string `bun:"email"`
		Person   string `bun:"person"`
		Role     string `bun:"role"`
		Chat     bool   `bun:"chat"`
		Approve  bool   `bun:"approve"`
	}
	err := s.DB.NewSelect().Model(&row).Column("t.*").
		ColumnExpr("coalesce(u.email, st.email) AS email").
		ColumnExpr("coalesce(u.name, st.name) AS person").
		ColumnExpr("coalesce(u.role, st.role) AS role").
		ColumnExpr("coalesce(u.may_chat, false) AS chat").ColumnExpr("coalesce(u.may_approve, false) AS approve").
		Join("LEFT JOIN users AS u ON u.id = t.user_id AND u.removed_at IS NULL").
		Join("LEFT JOIN staff AS st ON st.id = t.staff_id AND st.off_at IS NULL").
		Where("t.hash = ?", hash).Where("t.revoked_at IS NULL").
		Where("t.expires_at IS NULL OR t.expires_at > ?", now).
		Where("u.id IS NOT NULL OR st.id IS NOT NULL").Scan(ctx)
	if err != nil {
		return account.Bearer{}, fmt.Errorf("find token: %w", toFault(err))
	}
	if now.Sub(row.UsedAt) >= useEvery {
		if _, err := s.DB.NewUpdate().Model((*tokenRow)(nil)).Set("used_at = ?", now).Where("t.id = ?", row.ID).Exec(ctx); err != nil {
			return account.Bearer{}, fmt.Errorf("note use of token: %w", toFault(err))
		}
	}
	return account.Bearer{Token: row.token(), Email: row.Email, Name: row.Person, Role: row.Role, Chat: row.Chat, Approve: row.Approve}, nil
}

// List gives the working tokens of a customer's people, newest first.
func (s *Tokens) List(ctx context.Context, of account.CustomerID) ([]account.Token, error) {
	var rows []tokenRow
	err := s.DB.NewSelect().Model(&rows).Where("t.customer_id = ?", of).Where("t.revoked_at IS NULL").Order("t.id DESC").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", toFault(err))
	}
	return each(rows, tokenRow.token), nil
}

// StaffTokens gives the working tokens of one of our staff, or of all who were not switched off, newest first.
func (s *Tokens) StaffTokens(ctx context.Context, staffID string) ([]account.StaffToken, error) {
	var rows []struct {
		tokenRow `bun:",extend"`
		Email    string `bun:"email"`
		Role     string `bun:"role"`
	}
	q := s.DB.NewSelect().Model(&rows).Column("t.*").ColumnExpr("st.email, st.role").
		Join("JOIN staff AS st ON st.id = t.staff_id AND st.off_at IS NULL").Where("t.revoked_at IS NULL").Order("t.id DESC")
	if staffID != "" {
		q = q.Where("t.staff_id = ?", staffID)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("list tokens of staff: %w", toFault(err))
	}
	out := make([]account.StaffToken, len(rows))
	for i, r := range rows {
		out[i] = account.StaffToken{Token: r.token(), Email: r.Email, Role: r.Role}
	}
	return out, nil
}

// Revoke ends a token of that customer and records who did it.
func (s *Tokens) Revoke(ctx context.Context, of account.CustomerID, id string, e audit.Entry) error {
	return s.end(ctx, id, e, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Where("t.customer_id = ?", of) })
}

// RevokeStaff ends a token of one of our staff and records who did it.
func (s *Tokens) RevokeStaff(ctx context.Context, id string, e audit.Entry) error {
	return s.end(ctx, id, e, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Where("t.staff_id IS NOT NULL") })
}

func (s *Tokens) end(ctx context.Context, id string, e audit.Entry, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := narrow(tx.NewUpdate().Model((*tokenRow)(nil)).Set("revoked_at = ?", e.At)).
			Where("t.id = ?", id).Where("t.revoked_at IS NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("revoke token: %w", toFault(err))
		}
		if err := oneRow(res); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}
