package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/regain"
	"gatehouse/app/work"
)

// Regain keeps the cases of owners who lost everything. It is regain.Store.
type Regain struct {
	DB   *DB
	Jobs Enqueuer
}

var _ regain.Store = (*Regain)(nil)

// regainRow mirrors table regain_cases.
type regainRow struct {
	bun.BaseModel `bun:"table:regain_cases,alias:rc"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	UserID        string    `bun:"user_id"`
	Email         string    `bun:"email"`
	OldEmail      string    `bun:"old_email"`
	Reason        string    `bun:"reason"`
	Checked       string    `bun:"checked"`
	State         string    `bun:"state"`
	OpenedBy      string    `bun:"opened_by"`
	OpenedName    string    `bun:"opened_name"`
	OpenedAt      time.Time `bun:"opened_at"`
	ConfirmedBy   string    `bun:"confirmed_by,nullzero"`
	ConfirmedName string    `bun:"confirmed_name"`
	Due           time.Time `bun:"due,nullzero"`
	EndedAt       time.Time `bun:"ended_at,nullzero"`
	EndedBy       string    `bun:"ended_by"`
}

func toRegainRow(c regain.Case) *regainRow {
	return &regainRow{
		ID: c.ID, CustomerID: string(c.CustomerID), UserID: string(c.UserID), Email: c.Email, OldEmail: c.OldEmail, Reason: c.Reason,
		Checked: c.Checked, State: string(c.State), OpenedBy: c.OpenedBy, OpenedName: c.OpenedName, OpenedAt: c.OpenedAt,
		ConfirmedBy: c.ConfirmedBy, ConfirmedName: c.ConfirmedName, Due: c.Due, EndedAt: c.EndedAt, EndedBy: c.EndedBy,
	}
}

func (r regainRow) regained() regain.Case {
	return regain.Case{
		ID: r.ID, CustomerID: account.CustomerID(r.CustomerID), UserID: account.UserID(r.UserID), Email: r.Email, OldEmail: r.OldEmail,
		Reason: r.Reason, Checked: r.Checked, State: regain.State(r.State), OpenedBy: r.OpenedBy, OpenedName: r.OpenedName,
		OpenedAt: r.OpenedAt, ConfirmedBy: r.ConfirmedBy, ConfirmedName: r.ConfirmedName, Due: r.Due, EndedAt: r.EndedAt,
		EndedBy: r.EndedBy,
	}
}

// Open keeps a case and records e.
func (s *Regain) Open(ctx context.Context, c regain.Case, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.NewInsert().Model(toRegainRow(c)).Exec(ctx)
		if violated(err, "regain_cases_one") {
			return regain.ErrRunning
		}
		if err != nil {
			return fmt.Errorf("open case: %w", toFault(err))
		}
		return writeAudit(ctx, tx, e)
	})
}

// Find finds a case.
func (s *Regain) Find(ctx context.Context, id string) (regain.Case, error) {
	var row regainRow
	if err := s.DB.bun(ctx).NewSelect().Model(&row).Where("rc.id = ?", id).Scan(ctx); err != nil {
		return regain.Case{}, fmt.Errorf("find case: %w", toFault(err))
	}
	return row.regained(), nil
}

// Of lists the newest cases of a customer, newest first.
func (s *Regain) Of(ctx context.Context, of account.CustomerID, limit int) ([]regain.Case, error) {
	var rows []regainRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("rc.customer_id = ?", of).Order("rc.id DESC").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list cases: %w", toFault(err))
	}
	return each(rows, regainRow.regained), nil
}

// Confirm moves a case that waits for it on, records e and queues follow.
func (s *Regain) Confirm(
	ctx context.Context, c regain.Case, e audit.Entry, follow func([]regain.Address) []work.Item,
) (ok bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model(toRegainRow(c)).Column("state", "confirmed_by", "confirmed_name", "due").WherePK().
			Where("rc.state = ?", string(regain.Opened)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("confirm case: %w", toFault(err))
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		ok = true
		to, err := s.Addresses(ctx, c)
		if err != nil {
			return err
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, follow(to))
	})
	return ok, err
}

// Joined is when one of our staff got the account.
func (s *Regain) Joined(ctx context.Context, staffID string) (at time.Time, err error) {
	err = s.DB.bun(ctx).NewSelect().Table("staff").Column("created_at").Where("id = ?", staffID).Scan(ctx, &at)
	if err != nil {
		return at, fmt.Errorf("find who confirms: %w", toFault(err))
	}
	return at, nil
}

// Stop ends a case that runs and records e.
func (s *Regain) Stop(ctx context.Context, c regain.Case, e audit.Entry) (ok bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model(toRegainRow(c)).Column("state", "ended_at", "ended_by").WherePK().
			Where("rc.state IN ('opened', 'waiting')").Exec(ctx)
		if err != nil {
			return fmt.Errorf("stop case: %w", toFault(err))
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		ok = true
		return writeAudit(ctx, tx, e)
	})
	return ok, err
}

// Finish gives the owner the new address, and takes password, second step, sign-ins and all that reaches them elsewhere: what ends
// with a password, the database ends by itself. A case that was stopped meanwhile changes nothing.
func (s *Regain) Finish(ctx context.Context, c regain.Case, e audit.Entry, follow []work.Item) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model(toRegainRow(c)).Column("state", "ended_at").WherePK().Where("rc.state = 'waiting'").Exec(ctx)
		if err != nil {
			return fmt.Errorf("end case: %w", toFault(err))
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		res, err = tx.NewUpdate().Model((*userRow)(nil)).Set("email = ?", c.Email).Set("email_folded = ?", account.Fold(c.Email)).
			Set("password_hash = ?", nobodysHash).Set("verified_at = NULL").Set("mail_refused_at = NULL").
			Where("u.id = ?", c.UserID).Where("u.removed_at IS NULL").Exec(ctx)
		if violated(err, "users_email") {
			return account.ErrJoinTaken
		}
		if err != nil {
			return fmt.Errorf("give new address: %w", toFault(err))
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, regain.ErrGone)
		}
		for _, model := range []any{(*mailLinkRow)(nil), (*pushDeviceRow)(nil), (*userSecondRow)(nil)} {
			if _, err := tx.NewDelete().Model(model).Where("user_id = ?", c.UserID).Exec(ctx); err != nil {
				return fmt.Errorf("end what an owner had: %w", toFault(err))
			}
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, follow)
	})
}

// Addresses are the known addresses of a case: of all people of the business, proven or not, and the new one.
func (s *Regain) Addresses(ctx context.Context, c regain.Case) ([]regain.Address, error) {
	var rows []userRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("u.customer_id = ?", c.CustomerID).Where("u.removed_at IS NULL").
		Order("u.created_at", "u.id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find addresses: %w", toFault(err))
	}
	all := each(rows, func(r userRow) regain.Address { return regain.Address{Email: r.Email, Name: r.Name, Locale: r.Locale} })
	for _, r := range rows {
		if r.ID == string(c.UserID) && account.Fold(c.Email) != r.EmailFolded {
			all = append(all, regain.Address{Email: c.Email, Name: r.Name, Locale: r.Locale})
		}
		if r.ID == string(c.UserID) && account.Fold(c.OldEmail) != r.EmailFolded {
			all = append(all, regain.Address{Email: c.OldEmail, Name: r.Name, Locale: r.Locale})
		}
	}
	return all, nil
}

// AddLink keeps a link that stops a case.
func (s *Regain) AddLink(ctx context.Context, hash []byte, caseID, email string) error {
	_, err := s.DB.Pool.Exec(ctx, "INSERT INTO regain_links (hash, case_id, email) VALUES ($1, $2, $3)", hash, caseID, email)
	if err != nil {
		return fmt.Errorf("store link: %w", toFault(err))
	}
	return nil
}

// ByLink finds the case that a link stops, and to whom the link was sent.
func (s *Regain) ByLink(ctx context.Context, hash []byte) (regain.Case, string, error) {
	var row struct {
		regainRow `bun:",extend"`
		To        string `bun:"sent_to"`
	}
	err := s.DB.bun(ctx).NewSelect().Model(&row).ColumnExpr("rc.*").ColumnExpr("l.email AS sent_to").
		Join("JOIN regain_links AS l ON l.case_id = rc.id").Where("l.hash = ?", hash).Scan(ctx)
	if err != nil {
		return regain.Case{}, "", fmt.Errorf("find case of link: %w", toFault(err))
	}
	return row.regained(), row.To, nil
}
