package db

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
)

// userRow mirrors table users.
type userRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	Email         string    `bun:"email"`
	EmailFolded   string    `bun:"email_folded"`
	Name          string    `bun:"name"`
	Role          string    `bun:"role"`
	MayChat       bool      `bun:"may_chat"`
	MayApprove    bool      `bun:"may_approve"`
	Locale        string    `bun:"locale"`
	PasswordHash  string    `bun:"password_hash"`
	VerifiedAt    time.Time `bun:"verified_at,nullzero"`
	CreatedAt     time.Time `bun:"created_at"`
	RemovedAt     time.Time `bun:"removed_at,nullzero"`
}

func toUserRow(u account.User, hash string) *userRow {
	return &userRow{
		ID: string(u.ID), CustomerID: string(u.CustomerID), Email: u.Email, EmailFolded: account.Fold(u.Email), Name: u.Name,
		Role: string(u.Role), MayChat: u.Chat, MayApprove: u.Approve, Locale: u.Locale, PasswordHash: hash,
		VerifiedAt: u.VerifiedAt, CreatedAt: u.CreatedAt,
	}
}

func (r userRow) user() account.User {
	return account.User{
		ID: account.UserID(r.ID), CustomerID: account.CustomerID(r.CustomerID), Email: r.Email, Name: r.Name,
		Role: account.Role(r.Role), Chat: r.MayChat, Approve: r.MayApprove, Locale: r.Locale,
		VerifiedAt: r.VerifiedAt, CreatedAt: r.CreatedAt,
	}
}

// ByEmail finds a person by the folded address, with the hash of their password.
func (s *Accounts) ByEmail(ctx context.Context, folded string) (account.User, string, error) {
	var row userRow
	if err := s.DB.NewSelect().Model(&row).Where("u.email_folded = ?", folded).Where("u.removed_at IS NULL").Scan(ctx); err != nil {
		return account.User{}, "", fmt.Errorf("find user by address: %w", toFault(err))
	}
	return row.user(), row.PasswordHash, nil
}

// User finds a person of that customer.
func (s *Accounts) User(ctx context.Context, of account.CustomerID, id account.UserID) (account.User, error) {
	row, err := s.userRow(ctx, of, id)
	if err != nil {
		return account.User{}, err
	}
	return row.user(), nil
}

func (s *Accounts) userRow(ctx context.Context, of account.CustomerID, id account.UserID) (userRow, error) {
	var row userRow
	if err := s.DB.NewSelect().Model(&row).Where("u.customer_id = ?", of).Where("u.id = ?", id).
		Where("u.removed_at IS NULL").Scan(ctx); err != nil {
		return row, fmt.Errorf("load user: %w", toFault(err))
	}
	return row, nil
}

// Recipient finds the person a letter goes to; who has said no language is written to in that of their business.
func (s *Accounts) Recipient(ctx context.Context, id account.UserID) (account.User, error) {
	var row userRow
	err := s.DB.NewSelect().Model(&row).ExcludeColumn("locale").ColumnExpr("coalesce(nullif(u.locale, ''), c.locale) AS locale").
		Join("JOIN customers AS c ON c.id = u.customer_id").Where("u.id = ?", id).Where("u.removed_at IS NULL").Scan(ctx)
	if err != nil {
		return account.User{}, fmt.Errorf("load recipient: %w", toFault(err))
	}
	return row.user(), nil
}

// SetLocale stores a person's language and records who did it.
func (s *Accounts) SetLocale(ctx context.Context, of account.CustomerID, id account.UserID, locale string, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model((*userRow)(nil)).Set("locale = ?", locale).
			Where("u.customer_id = ?", of).Where("u.id = ?", id).Exec(ctx)
		if err != nil {
			return toFault(err)
		}
		if err := oneRow(res); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

// MailRefused keeps when the mail server first refused a mail to that person.
func (s *Accounts) MailRefused(ctx context.Context, id account.UserID, now time.Time) error {
	_, err := s.DB.NewUpdate().Model((*userRow)(nil)).Set("mail_refused_at = ?", now).
		Where("u.id = ?", id).Where("u.mail_refused_at IS NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("note refused mail: %w", toFault(err))
	}
	return nil
}

// Users lists the people of a customer, oldest first.
func (s *Accounts) Users(ctx context.Context, of account.CustomerID) ([]account.User, error) {
	return usersOf(ctx, s.DB, of)
}

func usersOf(ctx context.Context, tx bun.IDB, of account.CustomerID) ([]account.User, error) {
	var rows []userRow
	if err := tx.NewSelect().Model(&rows).Where("u.customer_id = ?", of).Where("u.removed_at IS NULL").Order("u.id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list users: %w", toFault(err))
	}
	return each(rows, userRow.user), nil
}

// oneRow answers ErrNotFound when a change met no row.
func oneRow(res sql.Result) error {
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}
