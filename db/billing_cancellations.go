package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/work"
)

// cancellationRow mirrors table billing_cancellations.
type cancellationRow struct {
	bun.BaseModel `bun:"table:billing_cancellations,alias:cn"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	PeriodID      string    `bun:"period_id"`
	At            time.Time `bun:"at"`
	ByKind        string    `bun:"by_kind"`
	ByID          string    `bun:"by_id"`
	ByName        string    `bun:"by_name"`
	EndsAt        time.Time `bun:"ends_at"`
	BackAt        time.Time `bun:"back_at,nullzero"`
	BackByKind    string    `bun:"back_by_kind"`
	BackByID      string    `bun:"back_by_id"`
	BackByName    string    `bun:"back_by_name"`
	EndedAt       time.Time `bun:"ended_at,nullzero"`
}

func toCancellationRow(c billing.Cancellation) *cancellationRow {
	return &cancellationRow{
		ID: string(c.ID), CustomerID: string(c.CustomerID), PeriodID: string(c.PeriodID), At: c.At, ByKind: string(c.By.Kind),
		ByID: c.By.ID, ByName: c.By.Name, EndsAt: c.EndsAt, BackAt: c.BackAt, BackByKind: string(c.BackBy.Kind), BackByID: c.BackBy.ID,
		BackByName: c.BackBy.Name, EndedAt: c.EndedAt,
	}
}

func (r cancellationRow) cancellation() billing.Cancellation {
	return billing.Cancellation{
		ID: billing.CancellationID(r.ID), CustomerID: account.CustomerID(r.CustomerID), PeriodID: billing.PeriodID(r.PeriodID), At: r.At,
		By: audit.Actor{Kind: audit.Kind(r.ByKind), ID: r.ByID, Name: r.ByName}, EndsAt: r.EndsAt.UTC(), BackAt: r.BackAt,
		BackBy: audit.Actor{Kind: audit.Kind(r.BackByKind), ID: r.BackByID, Name: r.BackByName}, EndedAt: r.EndedAt,
	}
}

// Cancel locks a period, runs fn on it, keeps the cancellation, records the entry, and queues a letter to the owners.
func (s *Billing) Cancel(
	ctx context.Context, id billing.PeriodID, letter string, fn func(billing.Period) (billing.Cancellation, audit.Entry, error),
) (c billing.Cancellation, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		p, err := s.onePeriod(ctx, tx.NewSelect().Where("bp.id = ?", id).For("UPDATE"))
		if err != nil {
			return err
		}
		var e audit.Entry
		if c, e, err = fn(p); err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(toCancellationRow(c)).Exec(ctx); err != nil {
			if violated(err, "billing_cancellations_open") {
				return billing.ErrCancelled
			}
			return fmt.Errorf("store cancellation: %w", toFault(err))
		}
		if err := s.tellOwners(ctx, tx, c.CustomerID, letter, string(c.ID)); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
	return c, err
}

// ChangeCancellation locks a cancellation, runs fn on it, keeps what fn made of it, records the entry and queues the letter.
func (s *Billing) ChangeCancellation(
	ctx context.Context, id billing.CancellationID, letter string,
	fn func(context.Context, *billing.Cancellation) (*audit.Entry, error),
) (c billing.Cancellation, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if c, err = s.oneCancellation(ctx, tx.NewSelect().Where("cn.id = ?", id).For("UPDATE")); err != nil {
			return err
		}
		e, err := fn(ctx, &c)
		if err != nil || e == nil {
			return err
		}
		if _, err := tx.NewUpdate().Model(toCancellationRow(c)).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("keep cancellation: %w", toFault(err))
		}
		if err := s.tellOwners(ctx, tx, c.CustomerID, letter, string(id)); err != nil {
			return err
		}
		return writeAudit(ctx, tx, *e)
	})
	return c, err
}

// tellOwners queues a letter to each owner of a customer; none when it has no name.
func (s *Billing) tellOwners(ctx context.Context, tx Tx, of account.CustomerID, letter, ref string) error {
	if letter == "" {
		return nil
	}
	owners, err := ownersOf(ctx, tx, string(of))
	if err != nil {
		return err
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, each(owners, func(id string) work.Item {
		return work.SendMail{Template: letter, UserID: id, Ref: ref}
	}))
}

// stillOpen are cancellations that are neither taken back nor came true.
const stillOpen = "cn.back_at IS NULL AND cn.ended_at IS NULL"

// CancellationOf finds the cancellation of a customer that is still to come true.
func (s *Billing) CancellationOf(ctx context.Context, of account.CustomerID) (billing.Cancellation, error) {
	return s.oneCancellation(ctx, s.DB.bun(ctx).NewSelect().Where("cn.customer_id = ?", of).Where(stillOpen))
}

// CancellationsOf finds those of several customers.
func (s *Billing) CancellationsOf(
	ctx context.Context, of []account.CustomerID,
) (map[account.CustomerID]billing.Cancellation, error) {
	var rows []cancellationRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("cn.customer_id IN (?)", bun.List(texts(of))).Where(stillOpen).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find cancellations: %w", toFault(err))
	}
	all := map[account.CustomerID]billing.Cancellation{}
	for _, r := range rows {
		all[account.CustomerID(r.CustomerID)] = r.cancellation()
	}
	return all, nil
}

// Cancellation finds a cancellation, whoever it is of.
func (s *Billing) Cancellation(ctx context.Context, id billing.CancellationID) (billing.Cancellation, error) {
	return s.oneCancellation(ctx, s.DB.bun(ctx).NewSelect().Where("cn.id = ?", id))
}

func (s *Billing) oneCancellation(ctx context.Context, q *bun.SelectQuery) (billing.Cancellation, error) {
	var row cancellationRow
	if err := q.Model(&row).Scan(ctx); err != nil {
		return billing.Cancellation{}, fmt.Errorf("find cancellation: %w", toFault(err))
	}
	return row.cancellation(), nil
}

// CancellationsDue lists open ones that end by now, or whose customer's server does not work any more. Where that is because of what is
// not paid, the customer may pay yet.
func (s *Billing) CancellationsDue(ctx context.Context, now time.Time, limit int) ([]billing.Cancellation, error) {
	var rows []cancellationRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where(stillOpen).
		Where(`cn.ends_at <= ? OR NOT EXISTS (SELECT FROM orders AS o WHERE o.customer_id = cn.customer_id AND o.standing = 'main'
			AND o.state = 'FULFILLED')`, now).
		Where(`NOT EXISTS (SELECT FROM orders AS o WHERE o.customer_id = cn.customer_id AND o.standing = 'main' AND o.state = 'ENDED'
			AND o.end_reason = 'unpaid')`).Order("cn.ends_at", "cn.id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list cancellations that are due: %w", toFault(err))
	}
	return each(rows, cancellationRow.cancellation), nil
}
