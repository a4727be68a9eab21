package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
)

// personSeen is when a person did something last, as far as sign-ins, API tokens and the record tell.
const personSeen = `greatest((SELECT max(s.seen_at) FROM signins AS s WHERE s.user_id = u.id),
	(SELECT max(t.used_at) FROM api_tokens AS t WHERE t.customer_id = u.customer_id AND t.user_id = u.id),
	(SELECT al.at FROM audit_log AS al WHERE al.by_id = u.id::text AND al.by_kind = 'user' ORDER BY al.id DESC LIMIT 1)) AS seen_at`

// People lists the people of a customer, oldest first, and when each did something last.
func (s *Accounts) People(ctx context.Context, of account.CustomerID) ([]account.Person, error) {
	var rows []struct {
		userRow `bun:",extend"`
		SeenAt  time.Time `bun:"seen_at,nullzero"`
	}
	err := s.DB.NewSelect().Model(&rows).
		Column("u.id", "u.customer_id", "u.email", "u.name", "u.role", "u.may_chat", "u.may_approve", "u.verified_at", "u.created_at").
		ColumnExpr(personSeen).
		Where("u.customer_id = ?", of).Where("u.removed_at IS NULL").Order("u.id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list people: %w", toFault(err))
	}
	people := make([]account.Person, len(rows))
	for i, r := range rows {
		people[i] = account.Person{User: r.user(), Seen: r.SeenAt}
	}
	return people, nil
}

// ChangePerson locks the customer, gives its people to rule and stores what it makes of one of them.
func (s *Accounts) ChangePerson(ctx context.Context, of account.CustomerID, rule func([]account.User) (account.PersonChange, error)) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := lockCustomer(ctx, tx, of); err != nil {
			return err
		}
		people, err := usersOf(ctx, tx, of)
		if err != nil {
			return err
		}
		c, err := rule(people)
		if err != nil {
			return err
		}
		if err := changePerson(ctx, tx, c); err != nil {
			return err
		}
		if err := writeAudit(ctx, tx, c.Entry); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, c.Work)
	})
}

// lockCustomer lets changes among the people of a customer happen one after the other.
func lockCustomer(ctx context.Context, tx bun.IDB, of account.CustomerID) error {
	var row customerRow
	err := tx.NewSelect().Model(&row).Column("c.id").Where("c.id = ?", of).For("NO KEY UPDATE").Scan(ctx)
	if err != nil {
		return fmt.Errorf("lock customer: %w", toFault(err))
	}
	return nil
}

func changePerson(ctx context.Context, tx bun.IDB, c account.PersonChange) error {
	q := tx.NewUpdate().Model((*userRow)(nil)).Where("u.id = ?", c.User.ID).Where("u.customer_id = ?", c.User.CustomerID).
		Where("u.removed_at IS NULL")
	if c.Removed {
		q = q.Set("role = ?", account.Member).Set("may_chat = false").Set("may_approve = false").Set("removed_at = ?", c.Entry.At).
			Set("verified_at = NULL").Set("email_folded = 'removed ' || u.id").Set("password_hash = ?", nobodysHash)
	} else {
		q = q.Set("role = ?", c.User.Role).Set("may_chat = ?", c.User.Chat).Set("may_approve = ?", c.User.Approve)
	}
	res, err := q.Exec(ctx)
	if violated(err, "users_keep_owner") {
		return fmt.Errorf("%w: %w", account.ErrLastOwner, err)
	}
	if err != nil {
		return fmt.Errorf("change person: %w", toFault(err))
	}
	if err := oneRow(res); err != nil {
		return err
	}
	return endOfPerson(ctx, tx, c)
}

// nobodysHash is the hash of no password. To set it ends the API tokens of the person, as every new one does.
const nobodysHash = "$argon2id$"

// endOfPerson ends what a person may no longer use: of one who was removed all that reaches them or speaks for them, of one
// who is no owner the invitations that they sent.
func endOfPerson(ctx context.Context, tx bun.IDB, c account.PersonChange) error {
	if c.Removed || c.User.Role != account.Owner {
		_, err := tx.NewUpdate().Model((*joinRow)(nil)).Set("ended_at = ?", c.Entry.At).
			Where("i.invited_by = ?", c.User.ID).Where("i.ended_at IS NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("end invitations: %w", toFault(err))
		}
	}
	if !c.Removed {
		return nil
	}
	for _, model := range []any{(*mailLinkRow)(nil), (*pushDeviceRow)(nil), (*approverRequestRow)(nil), (*userSecondRow)(nil)} {
		if _, err := tx.NewDelete().Model(model).Where("user_id = ?", c.User.ID).Exec(ctx); err != nil {
			return fmt.Errorf("end what a person had: %w", toFault(err))
		}
	}
	return nil
}
