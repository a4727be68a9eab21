package db

import (
	"context"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/work"
)

// Accounts keeps customers, their people and the links that were mailed to them. It is account.Store.
type Accounts struct {
	DB   *DB
	Jobs Enqueuer
}

var _ account.Store = (*Accounts)(nil)

// Ask queues follow-up work that comes with no change of its own.
func (s *Accounts) Ask(ctx context.Context, items []work.Item) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		return s.Jobs.EnqueueTx(ctx, tx.PGX, items)
	})
}

// insertAccount stores a newcomer in the transaction of their order; its work is queued by the caller.
func insertAccount(ctx context.Context, tx bun.IDB, n account.New) error {
	if _, err := tx.NewInsert().Model(toCustomerRow(n.Customer)).Exec(ctx); err != nil {
		return toFault(err)
	}
	row := toUserRow(n.Owner, n.PasswordHash)
	if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
		if violated(err, "users_email") {
			return account.ErrEmailTaken
		}
		return toFault(err)
	}
	return nil
}
