package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/billing"
)

// Files reads what is kept about the customers of periods, with up to so many billed ones before each.
func (s *Billing) Files(ctx context.Context, all []billing.Period, back int) (f billing.Files, err error) {
	of := each(all, func(p billing.Period) account.CustomerID { return p.CustomerID })
	if f.Buyers, err = s.buyers(ctx, of); err != nil {
		return f, err
	}
	if f.Profiles, err = s.profiles(ctx, of); err != nil {
		return f, err
	}
	if f.Choices, err = s.choices(ctx, of); err != nil || back == 0 {
		return f, err
	}
	f.Billed, err = s.billedBefore(ctx, all, back)
	return f, err
}

// Choices lists what a customer chose for an empty pool, oldest first.
func (s *Billing) Choices(ctx context.Context, of account.CustomerID) ([]billing.Choice, error) {
	all, err := s.choices(ctx, []account.CustomerID{of})
	return all[of], err
}

func (s *Billing) choices(ctx context.Context, of []account.CustomerID) (map[account.CustomerID][]billing.Choice, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, `SELECT customer_id::text, overage, at, by_kind, by_id, by_name FROM overage_choices
		WHERE customer_id = ANY(@of::text[]::uuid[]) ORDER BY customer_id, id`, cached, named{"of": texts(of)})
	if err != nil {
		return nil, fmt.Errorf("list choices: %w", toFault(err))
	}
	all := map[account.CustomerID][]billing.Choice{}
	var id account.CustomerID
	var c billing.Choice
	_, err = pgx.ForEachRow(rows, []any{&id, &c.Overage, &c.At, &c.ByKind, &c.ByID, &c.ByName}, func() error {
		c.At = c.At.UTC()
		all[id] = append(all[id], c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list choices: %w", toFault(err))
	}
	return all, nil
}

// billedBefore lists the newest billed periods before each of some, newest first.
func (s *Billing) billedBefore(
	ctx context.Context, of []billing.Period, limit int,
) (map[billing.PeriodID][]billing.BilledPeriod, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, `SELECT w.id::text, b.id::text FROM billing_periods AS w CROSS JOIN LATERAL (
			SELECT id, from_at FROM billing_periods AS b WHERE b.customer_id = w.customer_id AND b.state = 'BILLED'
			AND b.from_at < w.from_at ORDER BY b.from_at DESC LIMIT @limit) AS b
		WHERE w.id = ANY(@of::text[]::uuid[]) ORDER BY w.id, b.from_at DESC`, cached,
		named{"of": each(of, func(p billing.Period) string { return string(p.ID) }), "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list billed periods: %w", toFault(err))
	}
	type before struct{ period, billed billing.PeriodID }
	pairs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (b before, err error) {
		err = row.Scan(&b.period, &b.billed)
		return b, err
	})
	if err != nil || len(pairs) == 0 {
		return nil, toFault(err)
	}
	found, err := s.billed(ctx, each(pairs, func(b before) billing.PeriodID { return b.billed }))
	if err != nil {
		return nil, err
	}
	all := map[billing.PeriodID][]billing.BilledPeriod{}
	for _, b := range pairs {
		all[b.period] = append(all[b.period], found[b.billed])
	}
	return all, nil
}

// billed are billed periods with their invoices, and the lines of later ones about them.
func (s *Billing) billed(ctx context.Context, ids []billing.PeriodID) (map[billing.PeriodID]billing.BilledPeriod, error) {
	var periods []periodRow
	if err := s.DB.bun(ctx).NewSelect().Model(&periods).Where("bp.id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, fmt.Errorf("find billed periods: %w", toFault(err))
	}
	var invoices, later []invoiceRow
	if err := s.DB.bun(ctx).NewSelect().Model(&invoices).Where("i.period_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, fmt.Errorf("find their invoices: %w", toFault(err))
	}
	if len(invoices) < len(periods) {
		return nil, fmt.Errorf("find their invoices: %w", ErrNotFound)
	}
	all := map[billing.PeriodID]billing.BilledPeriod{}
	for _, r := range periods {
		all[billing.PeriodID(r.ID)] = billing.BilledPeriod{Period: r.period()}
	}
	for _, r := range invoices {
		b := all[billing.PeriodID(r.PeriodID)]
		b.Invoice = r.invoice()
		all[b.Period.ID] = b
	}
	of := each(periods, func(r periodRow) string { return r.CustomerID })
	err := s.DB.bun(ctx).NewSelect().Model(&later).Where("i.customer_id IN (?)", bun.List(of)).
		Where("jsonb_path_exists(i.lines, '$[*].of')").Order("i.id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find late lines: %w", toFault(err))
	}
	for _, r := range later {
		for _, l := range r.Lines {
			if b, ok := all[l.Of]; ok {
				b.Late = append(b.Late, l)
				all[l.Of] = b
			}
		}
	}
	return all, nil
}
