package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/second"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// invitationRow mirrors table staff_invitations.
type invitationRow struct {
	bun.BaseModel `bun:"table:staff_invitations,alias:i"`
	ID            string    `bun:"id,pk"`
	Email         string    `bun:"email"`
	EmailFolded   string    `bun:"email_folded"`
	Role          string    `bun:"role"`
	Locale        string    `bun:"locale"`
	ByID          string    `bun:"by_id"`
	TOTPSecret    []byte    `bun:"totp_secret"` // sealed
	CreatedAt     time.Time `bun:"created_at"`
	SentAt        time.Time `bun:"sent_at,nullzero"`
	ExpiresAt     time.Time `bun:"expires_at,nullzero"`
	RefusedAt     time.Time `bun:"refused_at,nullzero"`
	AcceptedAt    time.Time `bun:"accepted_at,nullzero"`
	RevokedAt     time.Time `bun:"revoked_at,nullzero"`
	StaffID       string    `bun:"staff_id,nullzero"`
	ByName        string    `bun:"by_name,scanonly"`
}

func (r invitationRow) invitation() staff.Invitation {
	return staff.Invitation{
		ID: r.ID, Email: r.Email, Role: staff.Role(r.Role), Locale: r.Locale, By: staff.ID(r.ByID), ByName: r.ByName,
		CreatedAt: r.CreatedAt, SentAt: r.SentAt, ExpiresAt: r.ExpiresAt, RefusedAt: r.RefusedAt, EndedAt: r.RevokedAt,
		Accepted: !r.AcceptedAt.IsZero(),
	}
}

// staffLinkRow mirrors table staff_links.
type staffLinkRow struct {
	bun.BaseModel `bun:"table:staff_links,alias:l"`
	Hash          []byte    `bun:"hash,pk"`
	InvitationID  string    `bun:"invitation_id,nullzero"`
	StaffID       string    `bun:"staff_id,nullzero"`
	CreatedAt     time.Time `bun:"created_at"`
	ExpiresAt     time.Time `bun:"expires_at"`
}

// linkKept is how long a link is kept after it ran out.
const linkKept = 30 * 24 * time.Hour

func addStaffLink(ctx context.Context, tx Tx, row *staffLinkRow) error {
	if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
		return fmt.Errorf("add staff link: %w", toFault(err))
	}
	_, err := tx.NewDelete().Model((*staffLinkRow)(nil)).Where("l.expires_at < ?", row.CreatedAt.Add(-linkKept)).Exec(ctx)
	return err
}

// Invite stores an invitation in place of an older one to that address.
func (s *Staff) Invite(ctx context.Context, i staff.Invitation, factor second.Factor, e audit.Entry, follow []work.Item) error {
	row := &invitationRow{
		ID: i.ID, Email: i.Email, EmailFolded: account.Fold(i.Email), Role: string(i.Role), Locale: i.Locale, ByID: string(i.By),
		TOTPSecret: s.Keys.Seal("staff_invitations", i.ID, "totp_secret", []byte(factor.Secret)), CreatedAt: i.CreatedAt,
	}
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		taken, err := tx.NewSelect().Model((*staffRow)(nil)).Where("st.email_folded = ?", row.EmailFolded).Exists(ctx)
		switch {
		case err != nil:
			return toFault(err)
		case taken:
			return staff.ErrTaken
		}
		_, err = tx.NewUpdate().Model((*invitationRow)(nil)).Set("revoked_at = ?", i.CreatedAt).
			Where("i.email_folded = ?", row.EmailFolded).Where("i.accepted_at IS NULL").Where("i.revoked_at IS NULL").Exec(ctx)
		if err != nil {
			return toFault(err)
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return toFault(err)
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, follow)
	})
}

// openInvitations are those that wait for an answer.
func openInvitations(q *bun.SelectQuery) *bun.SelectQuery {
	return q.Column("i.*").ColumnExpr("st.email AS by_name").Join("JOIN staff AS st ON st.id = i.by_id").
		Where("i.accepted_at IS NULL").Where("i.revoked_at IS NULL")
}

// Invitation finds one that is open.
func (s *Staff) Invitation(ctx context.Context, id string) (staff.Invitation, error) {
	var row invitationRow
	if err := openInvitations(s.DB.NewSelect().Model(&row)).Where("i.id = ?", id).Scan(ctx); err != nil {
		return staff.Invitation{}, fmt.Errorf("find invitation: %w", toFault(err))
	}
	return row.invitation(), nil
}

// Invitations gives the open ones, newest first.
func (s *Staff) Invitations(ctx context.Context) ([]staff.Invitation, error) {
	var rows []invitationRow
	if err := openInvitations(s.DB.NewSelect().Model(&rows)).Order("i.id DESC").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list invitations: %w", toFault(err))
	}
	return each(rows, invitationRow.invitation), nil
}

// Again voids the links of an open invitation and has another mail sent.
func (s *Staff) Again(ctx context.Context, id string, e audit.Entry, follow []work.Item) error {
	return s.end(ctx, id, e, follow, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("sent_at = NULL").Set("expires_at = NULL").Set("refused_at = NULL")
	})
}

// Revoke ends an open invitation.
func (s *Staff) Revoke(ctx context.Context, id string, e audit.Entry) error {
	return s.end(ctx, id, e, nil, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Set("revoked_at = ?", e.At) })
}

// end changes an open invitation, voids its links, records it and queues what follows.
func (s *Staff) end(
	ctx context.Context, id string, e audit.Entry, follow []work.Item, change func(*bun.UpdateQuery) *bun.UpdateQuery,
) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := change(tx.NewUpdate().Model((*invitationRow)(nil))).Where("i.id = ?", id).
			Where("i.accepted_at IS NULL").Where("i.revoked_at IS NULL").Exec(ctx)
		if err != nil {
			return toFault(err)
		}
		if err := oneRow(res); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*staffLinkRow)(nil)).Where("l.invitation_id = ?", id).Exec(ctx); err != nil {
			return toFault(err)
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		if len(follow) == 0 {
			return nil
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, follow)
	})
}

// Mailed keeps the link of a mail to the invited.
func (s *Staff) Mailed(ctx context.Context, id string, hash []byte, now, until time.Time) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model((*invitationRow)(nil)).Set("sent_at = ?", now).Set("expires_at = ?", until).Where("i.id = ?", id).
			Where("i.accepted_at IS NULL").Where("i.revoked_at IS NULL").Exec(ctx)
		if err != nil {
			return toFault(err)
		}
		if err := oneRow(res); err != nil {
			return err
		}
		return addStaffLink(ctx, tx, &staffLinkRow{Hash: hash, InvitationID: id, CreatedAt: now, ExpiresAt: until})
	})
}

// MailRefused keeps that the mail server took no mail to the invited; an id of anybody else changes nothing.
func (s *Staff) MailRefused(ctx context.Context, id string, now time.Time) error {
	_, err := s.DB.NewUpdate().Model((*invitationRow)(nil)).Set("refused_at = ?", now).Where("i.id = ?", id).
		Where("i.accepted_at IS NULL").Where("i.revoked_at IS NULL").Exec(ctx)
	return toFault(err)
}

// Invited finds the invitation of a link, and what the app of the invited has to learn.
func (s *Staff) Invited(ctx context.Context, hash []byte, now time.Time) (staff.Invitation, second.Factor, error) {
	row, err := s.invited(ctx, s.DB.NewSelect(), hash, now)
	if err != nil {
		return staff.Invitation{}, second.Factor{}, err
	}
	secret, err := s.Keys.Open("staff_invitations", row.ID, "totp_secret", row.TOTPSecret)
	return row.invitation(), second.Factor{Secret: string(secret)}, err
}

// invited finds the invitation of a link that has not run out, or that was used.
func (s *Staff) invited(ctx context.Context, q *bun.SelectQuery, hash []byte, now time.Time) (invitationRow, error) {
	var row invitationRow
	err := toFault(q.Model(&row).Column("i.*").ColumnExpr("st.email AS by_name").
		Join("JOIN staff_links AS l ON l.invitation_id = i.id").Join("JOIN staff AS st ON st.id = i.by_id").
		Where("l.hash = ?", hash).Where("l.expires_at > ? OR i.accepted_at IS NOT NULL", now).Scan(ctx))
	if errors.Is(err, ErrNotFound) {
		return row, staff.ErrInvite
	}
	return row, err
}

// Accept makes the invited a member. Two at once meet at the lock on the invitation: the second finds it used.
func (s *Staff) Accept(ctx context.Context, hash []byte, j staff.Joined) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row, err := s.invited(ctx, tx.NewSelect().For("NO KEY UPDATE OF i"), hash, j.Entry.At)
		switch {
		case err != nil:
			return err
		case !row.AcceptedAt.IsZero():
			return staff.ErrInviteUsed
		case !row.RevokedAt.IsZero():
			return staff.ErrInvite
		}
		member := s.newRow(j.Member, j.Hash, j.Factor)
		member.BackupCodes = j.Backup
		if err := insertStaff(ctx, tx, member); err != nil {
			return err
		}
		_, err = tx.NewUpdate().Model((*invitationRow)(nil)).Set("accepted_at = ?", j.Entry.At).Set("staff_id = ?", j.ID).
			Where("i.id = ?", row.ID).Exec(ctx)
		if err != nil {
			return toFault(err)
		}
		return writeAudit(ctx, tx, j.Entry)
	})
}
