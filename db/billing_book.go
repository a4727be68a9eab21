package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/pricing"
)

// priceRow mirrors table price_entries.
type priceRow struct {
	bun.BaseModel `bun:"table:price_entries,alias:pe"`
	ID            string          `bun:"id,pk"`
	Kind          string          `bun:"kind"`
	Name          string          `bun:"name"`
	Value         json.RawMessage `bun:"value,type:jsonb"`
	ValidFrom     time.Time       `bun:"valid_from"`
	At            time.Time       `bun:"at"`
	ByID          string          `bun:"by_id"`
	ByName        string          `bun:"by_name"`
	Reason        string          `bun:"reason"`
}

func (r priceRow) entry() pricing.Entry {
	return pricing.Entry{
		ID: r.ID, Kind: pricing.Kind(r.Kind), Name: r.Name, Value: r.Value, ValidFrom: r.ValidFrom.UTC(), At: r.At.UTC(), ByName: r.ByName,
		Reason: r.Reason,
	}
}

// Book reads the price book.
func (s *Billing) Book(ctx context.Context) (pricing.Book, error) {
	var rows []priceRow
	if err := s.DB.bun(ctx).NewSelect().Model(&rows).Order("pe.id").Scan(ctx); err != nil {
		return pricing.Book{}, fmt.Errorf("read price book: %w", toFault(err))
	}
	return pricing.NewBook(each(rows, priceRow.entry)), nil
}

// BookNow reads the price book with the moment of that: each entry of then or before is in it, whichever hub adds it.
func (s *Billing) BookNow(ctx context.Context, now func() time.Time) (book pricing.Book, at time.Time, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock_shared(hashtext('price_book'))"); err != nil {
			return fmt.Errorf("wait for prices that are added: %w", toFault(err))
		}
		at = now()
		book, err = s.Book(ctx)
		return err
	})
	return book, at, err
}

// AddPrice adds the entry that fn makes to the book and records what fn says. Nobody reads with BookNow while fn runs, or until the entry
// is there.
func (s *Billing) AddPrice(ctx context.Context, fn func() (pricing.Entry, audit.Entry)) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext('price_book'))"); err != nil {
			return fmt.Errorf("wait for who reads prices: %w", toFault(err))
		}
		p, e := fn()
		row := &priceRow{
			ID: p.ID, Kind: string(p.Kind), Name: p.Name, Value: p.Value, ValidFrom: p.ValidFrom, At: p.At, ByID: e.By.ID, ByName: p.ByName,
			Reason: p.Reason,
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return fmt.Errorf("add price: %w", toFault(err))
		}
		return writeAudit(ctx, tx, e)
	})
}
