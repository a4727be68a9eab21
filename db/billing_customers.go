package db

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/page"
)

// buyersSQL reads customers as invoices name them.
const buyersSQL = `SELECT DISTINCT ON (c.id) c.id::text, c.name, c.address, c.time_zone, coalesce(o.plan, '') AS plan,
	coalesce(o.state = 'FULFILLED', false) AS served, coalesce(o.state = 'ENDED', false) AS ended,
	coalesce(o.end_reason = 'refunded', false) AS refunded,
	o.fulfilled_at AS ready, coalesce(p.number, 0) AS last_number,
	p.to_at AS last_to, coalesce((SELECT u.email FROM users AS u WHERE u.customer_id = c.id AND u.role = 'owner' AND u.removed_at IS NULL
		ORDER BY u.created_at, u.id LIMIT 1), '') AS email
	FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.id AND o.standing = 'main' AND o.state NOT IN ('CANCELLED', 'RELEASED')
	LEFT JOIN LATERAL (SELECT number, to_at FROM billing_periods WHERE customer_id = c.id ORDER BY number DESC LIMIT 1) AS p ON true
	WHERE c.id = ANY(@of::text[]::uuid[]) ORDER BY c.id, o.id DESC NULLS LAST`

// Buyer reads a customer as an invoice names it.
func (s *Billing) Buyer(ctx context.Context, of account.CustomerID) (billing.Buyer, error) {
	all, err := s.buyers(ctx, []account.CustomerID{of})
	if err != nil {
		return billing.Buyer{}, err
	}
	b, ok := all[of]
	if !ok {
		return b, fmt.Errorf("find buyer: %w", ErrNotFound)
	}
	return b, nil
}

func (s *Billing) buyers(ctx context.Context, of []account.CustomerID) (map[account.CustomerID]billing.Buyer, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, buyersSQL, cached, named{"of": texts(of)})
	if err != nil {
		return nil, fmt.Errorf("find buyers: %w", toFault(err))
	}
	all := map[account.CustomerID]billing.Buyer{}
	var id account.CustomerID
	var b billing.Buyer
	var ready, lastTo *time.Time
	_, err = pgx.ForEachRow(rows, []any{
		&id, &b.Name, &b.Address, &b.TimeZone, &b.Plan, &b.Served, &b.Ended, &b.Refunded, &ready, &b.LastNumber, &lastTo, &b.Email,
	}, func() error {
		b.Ready, b.LastTo = orZero(ready), orZero(lastTo)
		all[id] = b
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find buyers: %w", toFault(err))
	}
	return all, nil
}

// orZero is a moment of the database in UTC; the zero time for none.
func orZero(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.UTC()
}

// texts are ids as pgx sends them.
func texts[T ~string](ids []T) []string { return each(ids, func(id T) string { return string(id) }) }

// profileRow mirrors table billing_customers.
type profileRow struct {
	bun.BaseModel `bun:"table:billing_customers,alias:bc"`
	CustomerID    string    `bun:"customer_id,pk"`
	Name          string    `bun:"name"`
	Address       string    `bun:"address"`
	Country       string    `bun:"country"`
	VATID         string    `bun:"vat_id"`
	Multiplier    int64     `bun:"multiplier"`
	FoundingFrom  time.Time `bun:"founding_from,nullzero"`
	FoundingUntil time.Time `bun:"founding_until,nullzero"`
	ChangedAt     time.Time `bun:"changed_at"`
}

// Profile reads how a customer is billed; the zero value when nobody has said anything.
func (s *Billing) Profile(ctx context.Context, of account.CustomerID) (billing.Profile, error) {
	all, err := s.profiles(ctx, []account.CustomerID{of})
	return all[of], err
}

func (s *Billing) profiles(ctx context.Context, of []account.CustomerID) (map[account.CustomerID]billing.Profile, error) {
	all := map[account.CustomerID]billing.Profile{}
	for _, id := range of {
		all[id] = billing.Profile{CustomerID: id, Multiplier: 1}
	}
	rows, err := s.DB.pgx(ctx).Query(ctx, `SELECT customer_id::text, name, address, country, vat_id, multiplier, founding_from,
		founding_until FROM billing_customers WHERE customer_id = ANY(@of::text[]::uuid[])`, cached, named{"of": texts(of)})
	if err != nil {
		return nil, fmt.Errorf("read billing profiles: %w", toFault(err))
	}
	var p billing.Profile
	var from, until *time.Time
	_, err = pgx.ForEachRow(rows, []any{&p.CustomerID, &p.Name, &p.Address, &p.Country, &p.VATID, &p.Multiplier, &from, &until},
		func() error {
			p.FoundingFrom, p.FoundingUntil = orZero(from), orZero(until)
			all[p.CustomerID] = p
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read billing profiles: %w", toFault(err))
	}
	return all, nil
}

// SetProfile keeps how a customer is billed and records e.
func (s *Billing) SetProfile(ctx context.Context, p billing.Profile, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row := &profileRow{
			CustomerID: string(p.CustomerID), Name: p.Name, Address: p.Address, Country: p.Country, VATID: p.VATID,
			Multiplier: max(p.Multiplier, 1), FoundingFrom: p.FoundingFrom, FoundingUntil: p.FoundingUntil, ChangedAt: e.At,
		}
		_, err := tx.NewInsert().Model(row).On("CONFLICT (customer_id) DO UPDATE").Set("name = EXCLUDED.name").
			Set("address = EXCLUDED.address").Set("country = EXCLUDED.country").Set("vat_id = EXCLUDED.vat_id").
			Set("multiplier = EXCLUDED.multiplier").Set("founding_from = EXCLUDED.founding_from").
			Set("founding_until = EXCLUDED.founding_until").Set("changed_at = EXCLUDED.changed_at").Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep billing profile: %w", toFault(err))
		}
		return writeAudit(ctx, tx, e)
	})
}

// Founders is a page of the customers that are founding members at now, the newest customer first.
func (s *Billing) Founders(ctx context.Context, now time.Time, ask page.Ask) (of page.Of[billing.Founder], err error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, `SELECT bc.customer_id::text, c.name, bc.multiplier, bc.founding_from, bc.founding_until
		FROM billing_customers bc JOIN customers c ON c.id = bc.customer_id
		WHERE bc.founding_until > @now AND (@after = '' OR bc.customer_id::text < @after)
		ORDER BY bc.customer_id::text DESC LIMIT @limit`, named{"now": now, "after": ask.After, "limit": ask.Limit + 1})
	if err != nil {
		return of, fmt.Errorf("list founding members: %w", toFault(err))
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[billing.Founder])
	if err != nil {
		return of, fmt.Errorf("list founding members: %w", toFault(err))
	}
	return page.Cut(all, ask.Limit, func(f billing.Founder) string { return string(f.CustomerID) }), nil
}

// overageRow mirrors table overage_choices.
type overageRow struct {
	bun.BaseModel `bun:"table:overage_choices,alias:oc"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	Overage       bool      `bun:"overage"`
	At            time.Time `bun:"at"`
	ByKind        string    `bun:"by_kind"`
	ByID          string    `bun:"by_id"`
	ByName        string    `bun:"by_name"`
}

// Choose adds a choice and records e.
func (s *Billing) Choose(ctx context.Context, of account.CustomerID, c billing.Choice, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row := &overageRow{
			ID: uuid.Must(uuid.NewV7()).String(), CustomerID: string(of), Overage: c.Overage, At: c.At, ByKind: c.ByKind, ByID: c.ByID,
			ByName: c.ByName,
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return fmt.Errorf("store choice: %w", toFault(err))
		}
		return writeAudit(ctx, tx, e)
	})
}
