package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/payment"
	"gatehouse/app/work"
)

// payerRow mirrors table payers.
type payerRow struct {
	bun.BaseModel `bun:"table:payers,alias:py"`
	CustomerID    string    `bun:"customer_id,pk"`
	Provider      string    `bun:"provider_id"`
	MethodID      string    `bun:"method_id"`
	Kind          string    `bun:"kind"`
	Brand         string    `bun:"brand"`
	Last4         string    `bun:"last4"`
	Month         int       `bun:"exp_month"`
	Year          int       `bun:"exp_year"`
	SeenAt        time.Time `bun:"seen_at,nullzero"`
}

func (r payerRow) payer() payment.Payer {
	return payment.Payer{
		CustomerID: account.CustomerID(r.CustomerID), Provider: r.Provider, SeenAt: r.SeenAt,
		Method: payment.Method{ID: r.MethodID, Kind: r.Kind, Brand: r.Brand, Last4: r.Last4, Month: r.Month, Year: r.Year},
	}
}

// Payer finds a customer at the provider; the zero Payer when it is not known there.
func (s *Payments) Payer(ctx context.Context, of account.CustomerID) (payment.Payer, error) {
	var row payerRow
	err := toFault(s.DB.bun(ctx).NewSelect().Model(&row).Where("py.customer_id = ?", of).Scan(ctx))
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return payment.Payer{}, nil
	}
	if err != nil {
		return payment.Payer{}, fmt.Errorf("load payer: %w", err)
	}
	return row.payer(), nil
}

// SavePayer stores it. One that was stored meanwhile stays, and is returned.
func (s *Payments) SavePayer(ctx context.Context, p payment.Payer) (payment.Payer, error) {
	row := &payerRow{CustomerID: string(p.CustomerID), Provider: p.Provider}
	if _, err := s.DB.bun(ctx).NewInsert().Model(row).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
		return p, fmt.Errorf("store payer: %w", toFault(err))
	}
	return s.Payer(ctx, p.CustomerID)
}

// SetMethod stores the means of payment of the provider's customer.
func (s *Payments) SetMethod(ctx context.Context, payer string, m payment.Method, at time.Time) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var was payerRow
		err := tx.NewSelect().Model(&was).Where("py.provider_id = ?", payer).For("UPDATE").Scan(ctx)
		if err = toFault(err); err != nil {
			if fault.Of(err).Kind == fault.NotFound {
				return nil // not known here
			}
			return fmt.Errorf("keep means of payment: %w", err)
		}
		return s.method(ctx, tx, was, m, at)
	})
}

// method stores what is on file. When that comes or goes, the team hears of it: what costs extra needs a card.
func (s *Payments) method(ctx context.Context, tx Tx, was payerRow, m payment.Method, at time.Time) error {
	q := tx.NewUpdate().Model((*payerRow)(nil)).Where("py.customer_id = ?", was.CustomerID)
	res, err := setMethod(q, m, at).Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep means of payment: %w", toFault(err))
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 || (was.MethodID == "") == (m.ID == "") {
		return err // nothing that the team would hear of
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{work.RefreshTeam{CustomerID: was.CustomerID}})
}

// TellExpiring queues letters to the owners whose card expires before then and whose server works, once for each card.
func (s *Payments) TellExpiring(ctx context.Context, before time.Time, letter string) (int, error) {
	told := 0
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var rows []payerRow
		err := tx.NewUpdate().Model((*payerRow)(nil)).Set("told = py.method_id").Where("py.exp_year > 0").Where("py.told <> py.method_id").
			Where("make_date(py.exp_year, py.exp_month, 1) + interval '1 month' <= ?", before).
			Where("EXISTS (SELECT FROM orders AS o WHERE o.customer_id = py.customer_id AND o.state = 'FULFILLED')").
			Returning("py.customer_id, py.method_id").Scan(ctx, &rows)
		if err != nil {
			return fmt.Errorf("note cards that expire: %w", toFault(err))
		}
		told = len(rows)
		var letters []work.Item
		for _, r := range rows {
			owners, err := ownersOf(ctx, tx, r.CustomerID)
			if err != nil {
				return err
			}
			for _, id := range owners {
				letters = append(letters, work.SendMail{Template: letter, UserID: id, Ref: r.MethodID})
			}
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, letters)
	})
	return told, err
}

// setMethod stores what is on file, unless something newer was seen.
func setMethod(q *bun.UpdateQuery, m payment.Method, at time.Time) *bun.UpdateQuery {
	return q.Set("method_id = ?", m.ID).Set("kind = ?", m.Kind).Set("brand = ?", m.Brand).Set("last4 = ?", m.Last4).
		Set("exp_month = ?", m.Month).Set("exp_year = ?", m.Year).Set("seen_at = ?", at).Where("py.seen_at IS NULL OR py.seen_at <= ?", at)
}
