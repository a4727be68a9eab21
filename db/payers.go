package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/payment"
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
	q := s.DB.bun(ctx).NewUpdate().Model((*payerRow)(nil)).Where("py.provider_id = ?", payer)
	if _, err := setMethod(q, m, at).Exec(ctx); err != nil {
		return fmt.Errorf("keep means of payment: %w", toFault(err))
	}
	return nil
}

// setMethod stores what is on file, unless something newer was seen.
func setMethod(q *bun.UpdateQuery, m payment.Method, at time.Time) *bun.UpdateQuery {
	return q.Set("method_id = ?", m.ID).Set("kind = ?", m.Kind).Set("brand = ?", m.Brand).Set("last4 = ?", m.Last4).
		Set("exp_month = ?", m.Month).Set("exp_year = ?", m.Year).Set("seen_at = ?", at).Where("py.seen_at IS NULL OR py.seen_at <= ?", at)
}
