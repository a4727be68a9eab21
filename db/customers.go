package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/work"
)

// customerRow mirrors table customers.
type customerRow struct {
	bun.BaseModel `bun:"table:customers,alias:c"`
	ID            string    `bun:"id,pk"`
	Name          string    `bun:"name"`
	TimeZone      string    `bun:"time_zone"`
	Address       string    `bun:"address"`
	Locale        string    `bun:"locale"`
	CreatedAt     time.Time `bun:"created_at"`
}

func toCustomerRow(c account.Customer) *customerRow {
	return &customerRow{ID: string(c.ID), Name: c.Name, TimeZone: c.TimeZone, CreatedAt: c.CreatedAt}
}

func (r customerRow) customer() account.Customer {
	return account.Customer{ID: account.CustomerID(r.ID), Name: r.Name, TimeZone: r.TimeZone, CreatedAt: r.CreatedAt}
}

// Customer finds a customer.
func (s *Accounts) Customer(ctx context.Context, id account.CustomerID) (account.Customer, error) {
	var row customerRow
	if err := s.DB.NewSelect().Model(&row).Where("c.id = ?", id).Scan(ctx); err != nil {
		return account.Customer{}, fmt.Errorf("load customer: %w", toFault(err))
	}
	return row.customer(), nil
}

// SetTimeZone stores a customer's time zone, records who did it and queues what follows.
func (s *Accounts) SetTimeZone(ctx context.Context, of account.CustomerID, zone string, e audit.Entry, follow []work.Item) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model((*customerRow)(nil)).Set("time_zone = ?", zone).Where("c.id = ?", of).Exec(ctx)
		if err != nil {
			return toFault(err)
		}
		if err := oneRow(res); err != nil {
			return err
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, follow)
	})
}
