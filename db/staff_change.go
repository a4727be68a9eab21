package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
)

// Peek reads a member as Change would, and locks nothing.
func (s *Staff) Peek(ctx context.Context, id staff.ID) (staff.Case, error) {
	row, err := s.load(ctx, s.DB.NewSelect(), id)
	if err != nil {
		return staff.Case{}, err
	}
	return s.caseOf(row)
}

// caseOf is a member with what a change is judged by, the secrets opened.
func (s *Staff) caseOf(r staffRow) (staff.Case, error) {
	c := staff.Case{Member: r.member(), Hash: r.PasswordHash, Backup: r.BackupCodes}
	secret, err := s.Keys.Open("staff", r.ID, "totp_secret", r.TOTPSecret)
	if err != nil {
		return c, err
	}
	c.Factor.Secret, c.Factor.LastStep = string(secret), r.TOTPStep
	c.Factor.Tries, c.Factor.Since = r.TOTPTries, r.TOTPSince
	if len(r.TOTPNext) > 0 {
		next, err := s.Keys.Open("staff", r.ID, "totp_next", r.TOTPNext)
		if err != nil {
			return c, err
		}
		c.Next = string(next)
	}
	return c, nil
}

// Change locks a member, who acts and the owners, lets fn change the case, and stores it with its record and its work. All
// changes lock in the order of ids, so that two at once wait for each other.
func (s *Staff) Change(ctx context.Context, id, by staff.ID, fn func(*staff.Case) error) (staff.Member, error) {
	var m staff.Member
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row, c, err := s.lockCase(ctx, tx, id, by)
		if err != nil {
			return err
		}
		was := c
		if err := fn(&c); err != nil {
			return err
		}
		if err := s.store(ctx, tx, row, was, c); err != nil {
			return err
		}
		m = c.Member
		return s.follow(ctx, tx, c)
	})
	return m, err
}

func (s *Staff) lockCase(ctx context.Context, tx Tx, id, by staff.ID) (staffRow, staff.Case, error) {
	var rows []staffRow
	ids := slices.DeleteFunc([]staff.ID{id, by}, func(v staff.ID) bool { return v == "" })
	err := tx.NewSelect().Model(&rows).WhereOr("st.id IN (?)", bun.List(ids)).
		WhereOr("st.role = 'OWNER' AND st.off_at IS NULL AND st.second_at IS NOT NULL").Order("st.id").For("NO KEY UPDATE").Scan(ctx)
	if err != nil {
		return staffRow{}, staff.Case{}, fmt.Errorf("lock staff: %w", toFault(err))
	}
	find := func(want staff.ID) int {
		return slices.IndexFunc(rows, func(r staffRow) bool { return r.ID == string(want) })
	}
	i := find(id)
	if i < 0 {
		return staffRow{}, staff.Case{}, ErrNotFound
	}
	c, err := s.caseOf(rows[i])
	if by != "" {
		j := find(by)
		if j < 0 || !rows[j].OffAt.IsZero() {
			return staffRow{}, staff.Case{}, ErrNotFound
		}
		c.By = rows[j].member()
	}
	for _, r := range rows {
		if m := r.member(); m.Role == staff.Owner && m.Works() {
			c.Owners++
		}
	}
	return rows[i], c, err
}

// store writes what was changed. A secret that is the same keeps its box: another box would end the member's sign-ins.
func (s *Staff) store(ctx context.Context, tx Tx, row staffRow, was, c staff.Case) error {
	row.Name, row.Role, row.Locale, row.PasswordHash = c.Name, string(c.Role), c.Locale, c.Hash
	row.TOTPStep, row.TOTPTries, row.TOTPSince = c.Factor.LastStep, c.Factor.Tries, c.Factor.Since
	row.SecondAt, row.OffAt, row.BackupCodes, row.Photo = c.SecondAt, c.OffAt, c.Backup, c.Photo
	if row.BackupCodes == nil {
		row.BackupCodes = []string{}
	}
	if c.Factor.Secret != was.Factor.Secret {
		row.TOTPSecret = s.seal(row.ID, c.Factor.Secret)
	}
	switch {
	case c.Next == "":
		row.TOTPNext = nil
	case c.Next != was.Next:
		row.TOTPNext = s.Keys.Seal("staff", row.ID, "totp_next", []byte(c.Next))
	}
	_, err := tx.NewUpdate().Model(&row).Column("name", "role", "locale", "password_hash", "totp_secret", "totp_step", "totp_tries",
		"totp_since", "totp_next", "backup_codes", "second_at", "off_at", "photo").WherePK().Exec(ctx)
	if violated(err, "staff_last_owner") {
		return staff.ErrLastOwner
	}
	return toFault(err)
}

// follow uses links up, writes the record and queues what follows.
func (s *Staff) follow(ctx context.Context, tx Tx, c staff.Case) error {
	if c.Link != nil {
		res, err := tx.NewDelete().Model((*staffLinkRow)(nil)).Where("l.hash = ?", c.Link).Where("l.staff_id = ?", c.ID).
			Where("l.expires_at > ?", c.Entry.At).Exec(ctx)
		if err != nil {
			return toFault(err)
		}
		if err := oneRow(res); errors.Is(err, ErrNotFound) {
			return staff.ErrLink
		} else if err != nil {
			return err
		}
	}
	if c.Unlink {
		if _, err := tx.NewDelete().Model((*staffLinkRow)(nil)).Where("l.staff_id = ?", c.ID).Exec(ctx); err != nil {
			return toFault(err)
		}
	}
	if c.Uninvite {
		_, err := tx.NewUpdate().Model((*invitationRow)(nil)).Set("revoked_at = ?", c.Entry.At).Where("i.by_id = ?", c.ID).
			Where("i.accepted_at IS NULL").Where("i.revoked_at IS NULL").Exec(ctx)
		if err != nil {
			return toFault(err)
		}
	}
	if c.Entry.ID != "" {
		if err := writeAudit(ctx, tx, c.Entry); err != nil {
			return err
		}
	}
	if len(c.Work) == 0 {
		return nil
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, c.Work)
}

// EndSignins ends the member's sign-ins and records it.
func (s *Staff) EndSignins(ctx context.Context, id staff.ID, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := endSignins(ctx, tx, signin.Subject{StaffID: string(id)}, signin.Which{}); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

// AddLink keeps a link that was mailed to a working member who has no second step, and forgets those that ran out.
func (s *Staff) AddLink(ctx context.Context, id staff.ID, hash []byte, now, until time.Time) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row, err := s.load(ctx, tx.NewSelect().For("NO KEY UPDATE"), id)
		if err != nil {
			return err
		}
		if !row.SecondAt.IsZero() {
			return ErrNotFound // it was set up in the meantime
		}
		return addStaffLink(ctx, tx, &staffLinkRow{Hash: hash, StaffID: string(id), CreatedAt: now, ExpiresAt: until})
	})
}

// Linked finds the member of a mailed link that works.
func (s *Staff) Linked(ctx context.Context, hash []byte, now time.Time) (staff.ID, error) {
	var link staffLinkRow
	q := s.DB.NewSelect().Model(&link).Where("l.hash = ?", hash).Where("l.staff_id IS NOT NULL").Where("l.expires_at > ?", now)
	err := toFault(q.Scan(ctx))
	if errors.Is(err, ErrNotFound) {
		return "", staff.ErrLink
	}
	return staff.ID(link.StaffID), err
}
