package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/order"
)

// orderEventRow mirrors table order_events.
type orderEventRow struct {
	bun.BaseModel `bun:"table:order_events,alias:e"`
	ID            int64     `bun:"id,pk,autoincrement"`
	OrderID       string    `bun:"order_id"`
	At            time.Time `bun:"at"`
	Kind          string    `bun:"kind"`
	State         string    `bun:"state"`
	Text          string    `bun:"text"`
	By            string    `bun:"by_name"`
}

func (r orderEventRow) event() order.Event {
	return order.Event{
		ID: r.ID, OrderID: order.ID(r.OrderID), At: r.At, Kind: order.EventKind(r.Kind), State: order.State(r.State), Text: r.Text, By: r.By,
	}
}

func insertEvents(ctx context.Context, tx bun.IDB, id string, events []order.Event) error {
	if len(events) == 0 {
		return nil
	}
	rows := each(events, func(e order.Event) orderEventRow {
		return orderEventRow{OrderID: id, At: e.At, Kind: string(e.Kind), State: string(e.State), Text: e.Text, By: e.By}
	})
	if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return fmt.Errorf("store order events: %w", toFault(err))
	}
	return nil
}

// Log adds lines to the live log of that customer's order. The lock on the order makes the ids of its lines visible in
// their order, so that a reader who goes on after the last id misses none.
func (s *Orders) Log(ctx context.Context, of account.CustomerID, id order.ID, lines []order.Event) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var row orderRow
		err := tx.NewSelect().Model(&row).Column("id").Where("o.customer_id = ?", of).Where("o.id = ?", id).For("UPDATE").Scan(ctx)
		if err != nil {
			return fmt.Errorf("log to order: %w", toFault(err))
		}
		return insertEvents(ctx, tx, string(id), lines)
	})
}

// Events lists the history of the customer's order after the event with that id, oldest first.
func (s *Orders) Events(ctx context.Context, of account.CustomerID, id order.ID, after int64, limit int) ([]order.Event, error) {
	var rows []orderEventRow
	err := s.DB.NewSelect().Model(&rows).Join("JOIN orders AS o ON o.id = e.order_id").
		Where("o.customer_id = ?", of).Where("e.order_id = ?", id).Where("e.id > ?", after).Order("e.id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list order events: %w", toFault(err))
	}
	return each(rows, orderEventRow.event), nil
}
