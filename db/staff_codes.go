package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// StaffCodes keeps the codes that our staff are mailed, by their hash. It is staff.CodeStore.
type StaffCodes struct {
	DB   *DB
	Jobs Enqueuer
}

var _ staff.CodeStore = (*StaffCodes)(nil)

// staffCodeRow mirrors table staff_codes.
type staffCodeRow struct {
	bun.BaseModel `bun:"table:staff_codes,alias:sc"`
	StaffID       string    `bun:"staff_id,pk"`
	Ref           string    `bun:"ref"`
	Action        string    `bun:"action"`
	Object        string    `bun:"object"`
	Name          string    `bun:"name"`
	Hash          []byte    `bun:"hash,nullzero"`
	Tries         int       `bun:"tries"`
	AskedAt       time.Time `bun:"asked_at"`
	ExpiresAt     time.Time `bun:"expires_at,nullzero"`
}

func (r staffCodeRow) code() staff.Code {
	return staff.Code{
		Destroying: staff.Destroying{Action: r.Action, Object: r.Object, Name: r.Name}, Ref: r.Ref, Hash: r.Hash, Tries: r.Tries,
		AskedAt: r.AskedAt, ExpiresAt: r.ExpiresAt,
	}
}

// Ask keeps what a code was asked for in place of the member's former one, with its record and its mail.
func (s *StaffCodes) Ask(ctx context.Context, of staff.ID, c staff.Code, e audit.Entry, follow []work.Item) error {
	row := &staffCodeRow{StaffID: string(of), Ref: c.Ref, Action: c.Action, Object: c.Object, Name: c.Name, AskedAt: c.AskedAt}
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.NewDelete().Model(row).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("void code: %w", toFault(err))
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return fmt.Errorf("keep code: %w", toFault(err))
		}
		if err := s.Jobs.EnqueueTx(ctx, tx.PGX, follow); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

// Mailed keeps the hash of the code in a mail, and gives what it is for.
func (s *StaffCodes) Mailed(
	ctx context.Context, of staff.ID, ref string, hash func(staff.Code) []byte, until time.Time,
) (staff.Code, error) {
	var row staffCodeRow
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := tx.NewSelect().Model(&row).Where("sc.staff_id = ?", of).Where("sc.ref = ?", ref).For("UPDATE").Scan(ctx); err != nil {
			return fmt.Errorf("code of a mail: %w", toFault(err))
		}
		row.Hash, row.ExpiresAt, row.Tries = hash(row.code()), until, 0
		_, err := tx.NewUpdate().Model(&row).Column("hash", "expires_at", "tries").WherePK().Exec(ctx)
		return toFault(err)
	})
	return row.code(), err
}

// Try locks the member's code and runs fn on it.
func (s *StaffCodes) Try(ctx context.Context, of staff.ID, fn func(*staff.Code) (bool, error)) error {
	var verdict error
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var row staffCodeRow
		switch err := tx.NewSelect().Model(&row).Where("sc.staff_id = ?", of).For("UPDATE").Scan(ctx); {
		case errors.Is(toFault(err), ErrNotFound):
			verdict = staff.ErrCodeOver
			return nil
		case err != nil:
			return fmt.Errorf("lock code: %w", toFault(err))
		}
		c := row.code()
		var used bool
		if used, verdict = fn(&c); used {
			_, err := tx.NewDelete().Model(&row).WherePK().Exec(ctx)
			return toFault(err)
		}
		row.Tries = c.Tries
		_, err := tx.NewUpdate().Model(&row).Column("tries").WherePK().Exec(ctx)
		return toFault(err)
	})
	if err != nil {
		return err
	}
	return verdict
}
