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
	return insertLines(ctx, tx, id, each(events, lineOf))
}

// lineOf is how an event stands in the log: a reader of the log reads on at one place.
func lineOf(e order.Event) order.Line {
	l := order.Line{At: e.At, State: e.State, Level: "info", Text: e.Text}
	if e.State == order.Failed {
		l.Level = "error"
	}
	return l
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
