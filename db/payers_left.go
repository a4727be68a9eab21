package db

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/payment"
)

// PayersLeft lists customers at the provider who are to be deleted there, those that wait longest first.
func (s *Payments) PayersLeft(ctx context.Context, limit int) (ids []string, err error) {
	err = s.DB.bun(ctx).NewSelect().TableExpr("payers_left AS pl").Column("pl.provider_id").Where("pl.removed_at IS NULL").
		OrderExpr("pl.asked_at, pl.provider_id").Limit(int64(limit)).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("list payers to be removed: %w", toFault(err))
	}
	return ids, nil
}

// PayerRemoved notes that a customer at the provider is gone there.
func (s *Payments) PayerRemoved(ctx context.Context, id string, at time.Time) error {
	_, err := s.DB.ExecContext(ctx, "UPDATE payers_left SET removed_at = ? WHERE provider_id = ? AND removed_at IS NULL", at, id)
	if err != nil {
		return fmt.Errorf("note removed payer: %w", toFault(err))
	}
	return nil
}

// ofErased says whether an event is about a customer who was erased.
func ofErased(ctx context.Context, tx Tx, e payment.Event) (yes bool, err error) {
	err = tx.NewRaw(`SELECT EXISTS (SELECT FROM payers_left WHERE provider_id = ?0) OR EXISTS (SELECT FROM payments AS p
		JOIN erasures AS er ON er.customer_id = p.customer_id AND er.done WHERE p.intent = nullif(?1, '') OR p.page = nullif(?2, ''))`,
		e.Payer, e.Intent, e.Of).Scan(ctx, &yes)
	if err != nil {
		return false, fmt.Errorf("whose event: %w", toFault(err))
	}
	return yes, nil
}
