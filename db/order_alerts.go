package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/order"
	"gatehouse/app/work"
)

// These are the orders of Service.Late, and those that need somebody: which failed, or are late.
const (
	lateOrders = `o.standing = 'main' AND o.created_at < ? AND coalesce(o.failed_step, o.state) IN ('PAYMENT_CONFIRMED',
		'AWAITING_SERVER', 'SERVER_READY', 'DNS_PENDING', 'DNS_READY', 'PROVISIONING')`
	alertedOrders = "(o.state = 'FAILED' OR " + lateOrders + ")"
	alertOf       = "CASE WHEN o.state = 'FAILED' THEN o.failed_step || '/' || o.attempt ELSE 'late' END"
	underway      = "o.state NOT IN ('FULFILLED', 'CANCELLED', 'ENDED', 'RELEASED')" // as the index has it
)

// Alerts lists orders that failed, and those of before that are still on their way, with the names of their customers.
func (s *Orders) Alerts(ctx context.Context, before time.Time, limit int) (orders []order.Order, total int, err error) {
	var rows []namedOrder
	q := s.DB.NewSelect().
		Model(&rows).
		Column("o.*").
		Where(underway).
		Where(alertedOrders, before).
		Order("o.created_at", "o.id").
		Limit(int64(limit))
	if err := q.Scan(ctx); err != nil {
		return nil, 0, fmt.Errorf("list orders that need somebody: %w", toFault(err))
	}
	total = len(rows)
	if total == limit {
		n, err := s.DB.NewSelect().Model((*orderRow)(nil)).Where(underway).Where(alertedOrders, before).Count(ctx)
		if err != nil {
			return nil, 0, fmt.Errorf("count orders that need somebody: %w", toFault(err))
		}
		total = int(n)
	}
	return each(rows, namedOrder.order), total, nil
}

// TellLate notes of which orders the customer is told that they take longer, and queues the letters.
func (s *Orders) TellLate(ctx context.Context, now, before time.Time) (int, error) {
	var letters []work.Item
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var rows []orderRow
		err := tx.NewUpdate().Model(&rows).Set("told_late_at = ?", now).Where("o.told_late_at IS NULL").Where(underway).
			Where(lateOrders, before).Returning("o.id, o.ordered_by").Scan(ctx)
		if err != nil {
			return fmt.Errorf("note late orders: %w", toFault(err))
		}
		for _, r := range rows {
			letters = append(letters, work.SendMail{Template: order.LetterLate, UserID: r.OrderedBy, Ref: r.ID})
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, letters)
	})
	return len(letters), err
}

// TellStaff notes of which orders our staff are told, and queues a letter to each of them whose role is one of roles.
func (s *Orders) TellStaff(ctx context.Context, before time.Time, roles []string) (int, error) {
	told := 0
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var rows []struct {
			ID      string `bun:"id"`
			Alerted string `bun:"alerted"`
		}
		err := tx.NewUpdate().Model((*orderRow)(nil)).Set("alerted = "+alertOf).Where(underway).Where(alertedOrders, before).
			Where("o.alerted <> "+alertOf).Returning("o.id, o.alerted").Scan(ctx, &rows)
		if err != nil {
			return fmt.Errorf("note orders that need somebody: %w", toFault(err))
		}
		if told = len(rows); told == 0 {
			return nil
		}
		var clerks []string
		err = tx.NewSelect().Model((*staffRow)(nil)).Column("st.id").Where("st.off_at IS NULL").Where("st.role IN (?)", bun.List(roles)).
			Scan(ctx, &clerks)
		if err != nil {
			return fmt.Errorf("list staff: %w", toFault(err))
		}
		var letters []work.Item
		for _, r := range rows {
			for _, id := range clerks {
				letters = append(letters, work.SendMail{Template: order.LetterHelp, UserID: id, Ref: r.ID + "." + r.Alerted})
			}
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, letters)
	})
	return told, err
}
