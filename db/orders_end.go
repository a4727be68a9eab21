package db

import (
	"context"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/order"
)

// Replace locks the customer's order, runs fn on it and stores the order that fn gave.
func (s *Orders) Replace(
	ctx context.Context, of account.CustomerID, id order.ID, fn func(was *order.Order) (order.New, error),
) (order.Order, error) {
	var row *orderRow
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var was orderRow
		if err := tx.NewSelect().Model(&was).Where("o.customer_id = ?", of).Where("o.id = ?", id).For("UPDATE").Scan(ctx); err != nil {
			return fmt.Errorf("load order: %w", toFault(err))
		}
		o := was.order()
		n, err := fn(&o)
		if err != nil {
			return err
		}
		row = toOrderRow(n.Order)
		if _, err := tx.NewInsert().Model(row).ExcludeColumn("number").Returning("number").Exec(ctx, &row.Number); err != nil {
			if violated(err, "orders_one_next") {
				return order.ErrReplacing
			}
			return fmt.Errorf("store order: %w", toFault(err))
		}
		return s.apply(ctx, tx, row, n.Change)
	})
	if err != nil {
		return order.Order{}, err
	}
	return row.order(), nil
}

// former changes the order that o replaces, and has the server of o serve the customer in its place. It comes before o is saved:
// a customer has one order that counts and one server that serves, at every moment.
func (s *Orders) former(ctx context.Context, tx Tx, o order.Order, ch order.Change) error {
	if len(ch.Former) == 0 {
		return nil
	}
	var row orderRow
	err := tx.NewSelect().Model(&row).Where("o.customer_id = ?", o.CustomerID).Where("o.id = ?", o.Replaces).For("UPDATE").Scan(ctx)
	if err != nil {
		return fmt.Errorf("load replaced order: %w", toFault(err))
	}
	was := row.order()
	for _, change := range ch.Former {
		next := change(&was)
		changed := toOrderRow(was)
		if _, err := tx.NewUpdate().Model(changed).ExcludeColumn("number").WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("save replaced order: %w", toFault(err))
		}
		if err := s.apply(ctx, tx, changed, next); err != nil {
			return err
		}
	}
	_, err = tx.NewUpdate().Model((*serverRow)(nil)).Set("state = 'revoked'").Set("revoked_at = ?", was.UpdatedAt).
		Where("s.id = ?", was.ServerID).Where("s.revoked_at IS NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("cut replaced server off: %w", toFault(err))
	}
	if _, err := tx.NewUpdate().Model((*serverRow)(nil)).Set("next = false").Where("s.id = ?", o.ServerID).Exec(ctx); err != nil {
		return fmt.Errorf("let server serve: %w", toFault(err))
	}
	// It registered with the customer's settings; their versions go on from there.
	_, err = tx.NewRaw(`INSERT INTO configs (server_id, version, config, created_at)
		SELECT ?, version, config, created_at FROM configs WHERE server_id = ? ON CONFLICT DO NOTHING`, o.ServerID, was.ServerID).Exec(ctx)
	if err != nil {
		return fmt.Errorf("hand settings over: %w", toFault(err))
	}
	return nil
}

// NextOf finds the order that is to replace the customer's main one.
func (s *Orders) NextOf(ctx context.Context, of account.CustomerID) (order.Order, error) {
	return s.one(ctx, s.DB.bun(ctx).NewSelect().Where("o.customer_id = ?", of).Where("o.standing = 'next'").
		Where("o.state NOT IN ('CANCELLED', 'RELEASED')"))
}

// KeyListed says whether the server of the order, as it said last, lists the key of the order as one of the business. A server
// lists no key that was revoked.
func (s *Orders) KeyListed(ctx context.Context, id order.ID) (bool, error) {
	listed, err := s.DB.bun(ctx).NewSelect().Model((*orderRow)(nil)).
		Join("JOIN approver_keys AS k ON k.server_id = o.server_id AND k.spki = o.approver_key").
		Where("o.id = ?", id).Where("k.holder = ?", wire.HolderPerson).Exists(ctx)
	if err != nil {
		return false, fmt.Errorf("look for the key of the order: %w", toFault(err))
	}
	return listed, nil
}

// Due lists ended orders whose grace is over at now.
func (s *Orders) Due(ctx context.Context, now time.Time) ([]order.Order, error) {
	var rows []orderRow
	err := s.DB.NewSelect().
		Model(&rows).
		Where("o.state = 'ENDED'").
		Where("o.release_at <= ?", now).
		Order("o.release_at").
		Limit(100).
		Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list orders to release: %w", toFault(err))
	}
	return each(rows, orderRow.order), nil
}
