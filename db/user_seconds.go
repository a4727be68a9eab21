package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/second"
)

// Seconds keeps the second steps of people of customers; their secrets are sealed. It is account.SecondStore.
type Seconds struct {
	DB   *DB
	Keys *Keyring
	Jobs Enqueuer
}

var _ account.SecondStore = (*Seconds)(nil)

// userSecondRow mirrors table user_seconds.
type userSecondRow struct {
	bun.BaseModel `bun:"table:user_seconds,alias:us"`
	UserID        string    `bun:"user_id,pk"`
	TOTPSecret    []byte    `bun:"totp_secret"` // sealed
	TOTPStep      int64     `bun:"totp_step"`
	TOTPTries     int       `bun:"totp_tries"`
	TOTPSince     time.Time `bun:"totp_since,nullzero"`
	Backup        []string  `bun:"backup,array"`
	BegunAt       time.Time `bun:"begun_at"`
	ProvenAt      time.Time `bun:"proven_at,nullzero"`
}

// Second reads a person's second step; one that there is not is empty.
func (s *Seconds) Second(ctx context.Context, of account.CustomerID, id account.UserID) (account.Second, error) {
	_, got, err := s.load(ctx, s.DB.NewSelect(), of, id)
	if errors.Is(err, ErrNotFound) {
		return account.Second{}, nil
	}
	return got, err
}

func (s *Seconds) load(
	ctx context.Context, q *bun.SelectQuery, of account.CustomerID, id account.UserID,
) (row userSecondRow, got account.Second, err error) {
	err = q.Model(&row).Where("us.user_id = ?", id).
		Where("EXISTS (SELECT FROM users AS u WHERE u.id = us.user_id AND u.customer_id = ?)", of).Scan(ctx)
	if err != nil {
		return row, got, fmt.Errorf("load second step: %w", toFault(err))
	}
	secret, err := s.Keys.Open("user_seconds", row.UserID, "totp_secret", row.TOTPSecret)
	if err != nil {
		return row, got, err
	}
	f := second.Factor{Secret: string(secret), LastStep: row.TOTPStep, Tries: row.TOTPTries, Since: row.TOTPSince}
	return row, account.Second{Factor: f, Backup: row.Backup, ProvenAt: row.ProvenAt}, nil
}

// Begin keeps a new second step that is not proven yet, in place of another such.
func (s *Seconds) Begin(ctx context.Context, of account.CustomerID, id account.UserID, f second.Factor, now time.Time) error {
	_, err := (&Accounts{DB: s.DB}).userRow(ctx, of, id)
	if err != nil {
		return err
	}
	row := &userSecondRow{
		UserID: string(id), Backup: []string{}, BegunAt: now,
		TOTPSecret: s.Keys.Seal("user_seconds", string(id), "totp_secret", []byte(f.Secret)),
	}
	res, err := s.DB.NewInsert().Model(row).On("CONFLICT (user_id) DO UPDATE").
		Set("totp_secret = EXCLUDED.totp_secret").Set("begun_at = EXCLUDED.begun_at").Set("totp_step = 0").
		Where("us.proven_at IS NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("begin second step: %w", toFault(err))
	}
	if errors.Is(oneRow(res), ErrNotFound) {
		return account.ErrSecondOn
	}
	return nil
}

// Change locks a person's second step and runs fn on it. What fn counted is kept in any case: refused codes must count.
func (s *Seconds) Change(
	ctx context.Context, of account.CustomerID, id account.UserID, fn func(*account.Second) (account.SecondChange, error),
) error {
	var verdict error
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row, now, err := s.load(ctx, tx.NewSelect().For("UPDATE"), of, id)
		if errors.Is(err, ErrNotFound) {
			verdict = account.ErrSecondOff
			return nil
		} else if err != nil {
			return err
		}
		change, refused := fn(&now)
		row.TOTPStep, row.TOTPTries, row.TOTPSince = now.Factor.LastStep, now.Factor.Tries, now.Factor.Since
		if verdict = refused; refused == nil {
			row.Backup, row.ProvenAt = now.Backup, now.ProvenAt
		}
		return s.save(ctx, tx, row, change)
	})
	if err != nil {
		return err
	}
	return verdict
}

func (s *Seconds) save(ctx context.Context, tx Tx, row userSecondRow, change account.SecondChange) (err error) {
	if change.Remove {
		_, err = tx.NewDelete().Model(&row).WherePK().Exec(ctx)
	} else {
		_, err = tx.NewUpdate().Model(&row).Column("totp_step", "totp_tries", "totp_since", "backup", "proven_at").WherePK().Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("save second step: %w", toFault(err))
	}
	if change.Record.Action != "" {
		if err := writeAudit(ctx, tx, change.Record); err != nil {
			return err
		}
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, change.Follow)
}
