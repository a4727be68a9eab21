package db

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/order"
)

// orderLineRow mirrors table order_log.
type orderLineRow struct {
	bun.BaseModel `bun:"table:order_log,alias:l"`
	ID            int64     `bun:"id,pk,autoincrement"`
	OrderID       string    `bun:"order_id"`
	At            time.Time `bun:"at"`
	State         string    `bun:"state"`
	Level         string    `bun:"level"`
	Text          string    `bun:"text"`
}

func (r orderLineRow) line() order.Line {
	return order.Line{ID: r.ID, At: r.At, State: order.State(r.State), Level: r.Level, Text: r.Text}
}

// Log adds lines to the log of that customer's order. The lock on the order makes the ids of its lines visible in their
// order, so that a reader who goes on after the last id misses none.
func (s *Orders) Log(ctx context.Context, of account.CustomerID, id order.ID, lines []order.Line) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var row orderRow
		err := tx.NewSelect().Model(&row).Column("id").Where("o.customer_id = ?", of).Where("o.id = ?", id).For("NO KEY UPDATE").Scan(ctx)
		if err != nil {
			return fmt.Errorf("log to order: %w", toFault(err))
		}
		return insertLines(ctx, tx, string(id), lines)
	})
}

func insertLines(ctx context.Context, tx bun.IDB, id string, lines []order.Line) error {
	rows := each(lines, func(l order.Line) orderLineRow {
		return orderLineRow{OrderID: id, At: l.At, State: string(l.State), Level: l.Level, Text: l.Text}
	})
	if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return fmt.Errorf("store lines of an order: %w", toFault(err))
	}
	return nil
}

// Lines lists the log of an order, the oldest first.
func (s *Orders) Lines(ctx context.Context, id order.ID, f order.LineFilter) ([]order.Line, error) {
	var rows []orderLineRow
	q := s.DB.NewSelect().Model(&rows).Where("l.order_id = ?", id).Limit(int64(f.Limit))
	if f.Search != "" {
		q = q.Where("l.text ILIKE ?", "%"+wild.Replace(f.Search)+"%")
	}
	if f.Before > 0 {
		q = q.Where("l.id < ?", f.Before)
	}
	forward := f.After != 0
	if forward {
		q = q.Where("l.id > ?", f.After).Order("l.id")
	} else {
		q = q.Order("l.id DESC")
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("read log of an order: %w", toFault(err))
	}
	if !forward {
		slices.Reverse(rows)
	}
	return each(rows, orderLineRow.line), nil
}

// forgetAtOnce is how many lines one round removes: a table that grew for long does not hold the others up.
const forgetAtOnce = 50_000

// ForgetLines removes lines of before.
func (s *Orders) ForgetLines(ctx context.Context, before time.Time) (int, error) {
	old := s.DB.NewSelect().Model((*orderLineRow)(nil)).Column("l.id").Where("l.at < ?", before).Limit(forgetAtOnce)
	res, err := s.DB.NewDelete().Model((*orderLineRow)(nil)).Where("l.id IN (?)", old).Exec(ctx)
	if err != nil {
		return 0, fmt.Errorf("forget lines of orders: %w", toFault(err))
	}
	n, err := res.RowsAffected()
	return int(n), err
}
