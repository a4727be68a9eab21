package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/clientele"
	"gatehouse/app/page"
	"gatehouse/app/work"
)

// Clientele keeps what our staff do with customers. It is clientele.Store.
type Clientele struct {
	DB   *DB
	Jobs Enqueuer
}

var _ clientele.Store = (*Clientele)(nil)

// cardRow is a customer with who came first, and who is invited to.
type cardRow struct {
	customerRow `bun:",extend"`
	Owner       string `bun:"owner"`
	Invited     string `bun:"invited"`
}

func (r cardRow) card() clientele.Card {
	return clientele.Card{
		Facts: clientele.Facts{Name: r.Name, Address: r.Address, TimeZone: r.TimeZone, Locale: r.Locale},
		ID:    account.CustomerID(r.ID), CreatedAt: r.CreatedAt, Owner: r.Owner, Invited: r.Invited,
	}
}

// cards selects customers as cards.
func cards(tx bun.IDB, into any) *bun.SelectQuery {
	return tx.NewSelect().Model(into).Column("c.*").
		ColumnExpr("coalesce((SELECT o.email FROM users AS o WHERE o.customer_id = c.id AND o.role = 'owner' " +
			"ORDER BY o.id LIMIT 1), '') AS owner").
		ColumnExpr("coalesce((SELECT f.email FROM invitations AS f WHERE f.customer_id = c.id AND f.role = 'owner' " +
			"AND f.ended_at IS NULL), '') AS invited")
}

// List lists customers, newest first. One is found by what searched looks at, and by the address of who is invited.
func (s *Clientele) List(ctx context.Context, ask page.Ask) (page.Of[clientele.Card], error) {
	var rows []cardRow
	q := newestFirst(cards(s.DB, &rows), "c", ask)
	if ask.Search != "" {
		q = q.Where("("+found("?0", "c.id")+" OR EXISTS (SELECT FROM invitations AS f WHERE f.customer_id = c.id AND "+
			"f.role = 'owner' AND f.ended_at IS NULL AND f.email"+folded+"?0))", containing(ask.Search))
	}
	if err := q.Scan(ctx); err != nil {
		return page.Of[clientele.Card]{}, fmt.Errorf("list customers: %w", toFault(err))
	}
	return page.Cut(each(rows, cardRow.card), ask.Limit, func(c clientele.Card) string { return string(c.ID) }), nil
}

// Find finds one.
func (s *Clientele) Find(ctx context.Context, id account.CustomerID) (clientele.Card, error) {
	return findCard(ctx, s.DB, id)
}

func findCard(ctx context.Context, tx bun.IDB, id account.CustomerID) (clientele.Card, error) {
	var row cardRow
	if err := cards(tx, &row).Where("c.id = ?", id).Scan(ctx); err != nil {
		return clientele.Card{}, fmt.Errorf("load customer: %w", toFault(err))
	}
	return row.card(), nil
}

// Create stores a customer with the invitation of its first owner.
func (s *Clientele) Create(
	ctx context.Context, c clientele.Card, i account.Invitation, e audit.Entry, follow []work.Item,
) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row := &customerRow{
			ID: string(c.ID), Name: c.Name, TimeZone: c.TimeZone, Address: c.Address, Locale: c.Locale, CreatedAt: c.CreatedAt,
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return toFault(err)
		}
		return s.invite(ctx, tx, i, e, follow)
	})
}

// invite stores an invitation of the first owner. Two to one address at once meet at its index.
func (s *Clientele) invite(ctx context.Context, tx Tx, i account.Invitation, e audit.Entry, follow []work.Item) error {
	row := toJoinRow(i)
	taken, err := tx.NewSelect().Model((*userRow)(nil)).Where("u.email_folded = ?", row.EmailFolded).Exists(ctx)
	if err != nil {
		return toFault(err)
	}
	if taken {
		return clientele.ErrTaken
	}
	if _, err := tx.NewInsert().Model(row).Exec(ctx); violated(err, "invitations_first_email") {
		return clientele.ErrInvited
	} else if err != nil {
		return toFault(err)
	}
	if err := writeAudit(ctx, tx, e); err != nil {
		return err
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, follow)
}

// Change locks a customer and stores what rule makes of it.
func (s *Clientele) Change(
	ctx context.Context, of account.CustomerID, rule func(was clientele.Card) (clientele.Change, error),
) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := lockCustomer(ctx, tx, of); err != nil {
			return err
		}
		was, err := findCard(ctx, tx, of)
		if err != nil {
			return err
		}
		ch, err := rule(was)
		if err != nil || ch.Facts == was.Facts {
			return err
		}
		_, err = tx.NewUpdate().Model((*customerRow)(nil)).Set("name = ?", ch.Facts.Name).Set("address = ?", ch.Facts.Address).
			Set("time_zone = ?", ch.Facts.TimeZone).Set("locale = ?", ch.Facts.Locale).Where("c.id = ?", of).Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep customer: %w", toFault(err))
		}
		if err := writeAudit(ctx, tx, ch.Entry); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, ch.Work)
	})
}

// First finds the open invitation of a customer's first owner.
func (s *Clientele) First(ctx context.Context, of account.CustomerID) (clientele.First, error) {
	var row joinRow
	err := s.DB.NewSelect().Model(&row).Where("i.customer_id = ?", of).Where("i.role = 'owner'").Where("i.ended_at IS NULL").Scan(ctx)
	if err = toFault(err); errors.Is(err, ErrNotFound) {
		return clientele.First{}, clientele.ErrNotInvited
	} else if err != nil {
		return clientele.First{}, fmt.Errorf("load invitation: %w", err)
	}
	return clientele.First{Invitation: row.invitation(), Mailed: len(row.Hash) > 0}, nil
}

// Invite stores an invitation of the first owner in place of the open one. Who answers meanwhile holds the lock on the invitation:
// then the update waits, and finds that somebody has joined.
func (s *Clientele) Invite(ctx context.Context, i account.Invitation, e audit.Entry, follow []work.Item) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := lockCustomer(ctx, tx, i.CustomerID); err != nil {
			return err
		}
		if _, err := endFirst(ctx, tx, i.CustomerID, i.CreatedAt); err != nil {
			return err
		}
		joined, err := tx.NewSelect().Model((*userRow)(nil)).Where("u.customer_id = ?", i.CustomerID).Exists(ctx)
		if err != nil {
			return toFault(err)
		}
		if joined {
			return clientele.ErrJoined
		}
		return s.invite(ctx, tx, i, e, follow)
	})
}

// Withdraw ends the open invitation of the first owner.
func (s *Clientele) Withdraw(ctx context.Context, of account.CustomerID, e audit.Entry) (email string, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) (err error) {
		if email, err = endFirst(ctx, tx, of, e.At); err != nil {
			return err
		}
		if email == "" {
			return clientele.ErrNotInvited
		}
		return writeAudit(ctx, tx, e)
	})
	return email, err
}

// endFirst ends the open invitation of the first owner, and says whose it was; empty: there was none.
func endFirst(ctx context.Context, tx Tx, of account.CustomerID, at time.Time) (string, error) {
	var emails []string
	_, err := tx.NewUpdate().Model((*joinRow)(nil)).Set("ended_at = ?", at).Where("i.customer_id = ?", of).
		Where("i.role = 'owner'").Where("i.ended_at IS NULL").Returning("email").Exec(ctx, &emails)
	if err != nil {
		return "", fmt.Errorf("end invitation: %w", toFault(err))
	}
	return append(emails, "")[0], nil
}

// noteRow mirrors table customer_notes.
type noteRow struct {
	bun.BaseModel `bun:"table:customer_notes,alias:n"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	Text          string    `bun:"text"`
	At            time.Time `bun:"at"`
	ByID          string    `bun:"by_id"`
	ByName        string    `bun:"by_name"`
}

func (r noteRow) note() clientele.Note {
	return clientele.Note{ID: r.ID, CustomerID: account.CustomerID(r.CustomerID), Text: r.Text, At: r.At, By: r.ByName, ByID: r.ByID}
}

// AddNote keeps a note and its record.
func (s *Clientele) AddNote(ctx context.Context, n clientele.Note, e audit.Entry) error {
	row := &noteRow{ID: n.ID, CustomerID: string(n.CustomerID), Text: n.Text, At: n.At, ByID: n.ByID, ByName: n.By}
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := findCard(ctx, tx, n.CustomerID); err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return toFault(err)
		}
		return writeAudit(ctx, tx, e)
	})
}

// Notes lists the notes about a customer, newest first.
func (s *Clientele) Notes(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[clientele.Note], error) {
	var rows []noteRow
	if err := newestFirst(s.DB.NewSelect().Model(&rows).Where("n.customer_id = ?", of), "n", ask).Scan(ctx); err != nil {
		return page.Of[clientele.Note]{}, fmt.Errorf("list notes: %w", toFault(err))
	}
	return page.Cut(each(rows, noteRow.note), ask.Limit, func(n clientele.Note) string { return n.ID }), nil
}
