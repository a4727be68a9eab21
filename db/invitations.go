package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/work"
)

// joinRow mirrors table invitations.
type joinRow struct {
	bun.BaseModel `bun:"table:invitations,alias:i"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	Email         string    `bun:"email"`
	EmailFolded   string    `bun:"email_folded"`
	Role          string    `bun:"role"`
	MayChat       bool      `bun:"may_chat"`
	MayApprove    bool      `bun:"may_approve"`
	InvitedBy     string    `bun:"invited_by,nullzero"`
	Hash          []byte    `bun:"hash,nullzero"`
	CreatedAt     time.Time `bun:"created_at"`
	ExpiresAt     time.Time `bun:"expires_at"`
	RefusedAt     time.Time `bun:"refused_at,nullzero"`
	EndedAt       time.Time `bun:"ended_at,nullzero"`
	UsedBy        string    `bun:"used_by,nullzero"`
}

func (r joinRow) invitation() account.Invitation {
	return account.Invitation{
		ID: r.ID, CustomerID: account.CustomerID(r.CustomerID), Email: r.Email, Role: account.Role(r.Role), Chat: r.MayChat,
		Approve: r.MayApprove,
		By:      account.UserID(r.InvitedBy), CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt, RefusedAt: r.RefusedAt,
	}
}

func toJoinRow(i account.Invitation) *joinRow {
	return &joinRow{
		ID: i.ID, CustomerID: string(i.CustomerID), Email: i.Email, EmailFolded: account.Fold(i.Email),
		Role: string(i.Role), MayChat: i.Chat, MayApprove: i.Approve,
		InvitedBy: string(i.By), CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt,
	}
}

// Invitations lists the open invitations of a customer, newest first.
func (s *Accounts) Invitations(ctx context.Context, of account.CustomerID) ([]account.Invitation, error) {
	var rows []joinRow
	err := s.DB.NewSelect().Model(&rows).Where("i.customer_id = ?", of).Where("i.ended_at IS NULL").Order("i.id DESC").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list invitations: %w", toFault(err))
	}
	return each(rows, joinRow.invitation), nil
}

// Invite stores an invitation in place of an open one to the same address, records it and queues its mail. Under the lock of
// the customer the inviter is looked at again: somebody may have made them a member, or removed them.
func (s *Accounts) Invite(ctx context.Context, i account.Invitation, limit int, e audit.Entry, mail []work.Item) error {
	row := toJoinRow(i)
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := lockCustomer(ctx, tx, i.CustomerID); err != nil {
			return err
		}
		owner, err := tx.NewSelect().Model((*userRow)(nil)).Where("u.id = ?", i.By).Where("u.customer_id = ?", i.CustomerID).
			Where("u.role = 'owner'").Exists(ctx)
		if err != nil {
			return toFault(err)
		}
		if !owner {
			return account.Refused(account.Manage)
		}
		_, err = tx.NewUpdate().Model((*joinRow)(nil)).Set("ended_at = ?", i.CreatedAt).Where("i.customer_id = ?", i.CustomerID).
			Where("i.email_folded = ?", row.EmailFolded).Where("i.ended_at IS NULL").Exec(ctx)
		if err != nil {
			return toFault(err)
		}
		open, err := tx.NewSelect().Model((*joinRow)(nil)).Where("i.customer_id = ?", i.CustomerID).
			Where("i.ended_at IS NULL").Count(ctx)
		if err != nil {
			return toFault(err)
		}
		if int(open) >= limit {
			return account.ErrInvitationsFull
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return toFault(err)
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, mail)
	})
}

// EndInvitation ends an open invitation of that customer and records it.
func (s *Accounts) EndInvitation(ctx context.Context, of account.CustomerID, id string, e audit.Entry) (account.Invitation, error) {
	var row joinRow
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		err := tx.NewSelect().Model(&row).Where("i.id = ?", id).Where("i.customer_id = ?", of).Where("i.ended_at IS NULL").
			For("UPDATE").Scan(ctx)
		if err != nil {
			return toFault(err)
		}
		if _, err := tx.NewUpdate().Model((*joinRow)(nil)).Set("ended_at = ?", e.At).Where("i.id = ?", id).Exec(ctx); err != nil {
			return toFault(err)
		}
		return writeAudit(ctx, tx, e)
	})
	if err != nil {
		return account.Invitation{}, fmt.Errorf("end invitation: %w", err)
	}
	return row.invitation(), nil
}

// InviteRefused keeps that the mail server refused the mail of an invitation.
func (s *Accounts) InviteRefused(ctx context.Context, id string, now time.Time) error {
	_, err := s.DB.NewUpdate().Model((*joinRow)(nil)).Set("refused_at = ?", now).
		Where("i.id = ?", id).Where("i.refused_at IS NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("note refused invitation: %w", toFault(err))
	}
	return nil
}

// invitedRow is an invitation with what its mail and page say of the business.
type invitedRow struct {
	joinRow      `bun:",extend"`
	Business     string `bun:"business"`
	InviterName  string `bun:"inviter_name"`
	InviterEmail string `bun:"inviter_email"`
	Locale       string `bun:"locale"`
	Known        bool   `bun:"known"`
}

func (r invitedRow) invited() account.Invited {
	return account.Invited{
		Invitation: r.invitation(), Business: r.Business, InviterName: r.InviterName, InviterEmail: r.InviterEmail, Known: r.Known,
		Locale: r.Locale,
	}
}

// openInvitation reads an invitation that can be answered at now.
func openInvitation(ctx context.Context, tx bun.IDB, now time.Time, lock bool, where string, value any) (account.Invited, error) {
	var row invitedRow
	q := tx.NewSelect().Model(&row).Column("i.*").ColumnExpr("c.name AS business").
		ColumnExpr("coalesce(u.name, '') AS inviter_name").ColumnExpr("coalesce(u.email, '') AS inviter_email").
		ColumnExpr("coalesce(nullif(u.locale, ''), c.locale) AS locale").
		ColumnExpr("EXISTS (SELECT FROM users AS k WHERE k.email_folded = i.email_folded) AS known").
		Join("JOIN customers AS c ON c.id = i.customer_id").Join("LEFT JOIN users AS u ON u.id = i.invited_by").
		Where(where, value).Where("i.ended_at IS NULL").Where("i.expires_at > ?", now)
	if lock {
		q = q.For("UPDATE OF i")
	}
	if err := toFault(q.Scan(ctx)); errors.Is(err, ErrNotFound) {
		return account.Invited{}, account.ErrInvitation
	} else if err != nil {
		return account.Invited{}, fmt.Errorf("load invitation: %w", err)
	}
	return row.invited(), nil
}

// MailInvitation reads what the mail of an open invitation says, and has hash open it unless its address has an account.
func (s *Accounts) MailInvitation(ctx context.Context, id string, hash []byte, now time.Time) (i account.Invited, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		i, err = openInvitation(ctx, tx, now, true, "i.id = ?", id)
		if errors.Is(err, account.ErrInvitation) {
			return ErrNotFound // withdrawn before it was mailed
		}
		if err != nil || i.Known {
			return err
		}
		_, err = tx.NewUpdate().Model((*joinRow)(nil)).Set("hash = ?", hash).Where("i.id = ?", id).Exec(ctx)
		return toFault(err)
	})
	return i, err
}

// PeekInvitation returns the invitation that hash opens at now.
func (s *Accounts) PeekInvitation(ctx context.Context, hash []byte, now time.Time) (account.Invited, error) {
	return openInvitation(ctx, s.DB, now, false, "i.hash = ?", hash)
}

// Join uses an invitation up and adds the person. Two at once meet at the lock on the invitation: the second finds it used.
func (s *Accounts) Join(ctx context.Context, link []byte, u account.User, hash string, e audit.Entry, follow []work.Item) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		i, err := openInvitation(ctx, tx, u.CreatedAt, true, "i.hash = ?", link)
		if err != nil {
			return err
		}
		u.CustomerID, u.Email, u.Role, u.Chat, u.Approve = i.CustomerID, i.Email, i.Role, i.Chat, i.Approve
		if _, err := tx.NewInsert().Model(toUserRow(u, hash)).Exec(ctx); violated(err, "users_email") {
			return account.ErrJoinTaken
		} else if err != nil {
			return toFault(err)
		}
		_, err = tx.NewUpdate().Model((*joinRow)(nil)).Set("ended_at = ?", u.CreatedAt).Set("used_by = ?",
			u.ID).Where("i.id = ?", i.ID).Exec(ctx)
		if err != nil {
			return toFault(err)
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, follow)
	})
}
