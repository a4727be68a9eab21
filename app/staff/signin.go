package staff

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/second"
)

// Refusals of a sign-in.
var (
	errNoSecond = fault.New(fault.Unauthorized, "second-needed", "second factor was reset",
		"Your authenticator app was reset. Set it up again with the link in our email, or ask an owner of the staff for a new one.")
	errBackup = fault.New(fault.Unauthorized, "wrong-backup-code", "wrong or used backup code",
		"This backup code is wrong or was used already. Check it, or type another one.")
)

// Password is the first half of a staff sign-in. It does the same work whether or not the address is known. The caller
// keeps the half-finished sign-in apart from a whole one.
func (s *Service) Password(ctx context.Context, email, password string) (Member, error) {
	folded := account.Fold(email)
	if !s.Tries.Take("staff-sign-in", folded) {
		return Member{}, account.ErrTooMany
	}
	m, hash, err := s.Store.ByEmail(ctx, folded)
	switch {
	case err != nil && fault.Of(err).Kind == fault.NotFound:
		hash = s.Hasher.Dummy()
	case err != nil:
		return Member{}, fmt.Errorf("staff sign-in: %w", err)
	}
	if err := s.Hasher.Check(ctx, password, hash); err != nil {
		return Member{}, err
	}
	switch {
	case m.ID == "":
		return Member{}, account.ErrWrong
	case m.SecondAt.IsZero(): // said to nobody who does not know the password
		return Member{}, errNoSecond
	}
	return m, nil
}

// Code is the second half: the one-time code of somebody whose password was right.
func (s *Service) Code(ctx context.Context, id ID, code string) (Member, error) {
	verdict := error(second.ErrCode)
	m, err := s.Store.Second(ctx, id, func(f *second.Factor) { verdict = f.Check(code, s.Now()) })
	switch {
	case err != nil:
		return Member{}, fmt.Errorf("one-time code: %w", err)
	case verdict != nil:
		return Member{}, verdict
	case m.SecondAt.IsZero():
		return Member{}, errNoSecond
	}
	return m, nil
}

// Backup is the second half with one of the backup codes, which works once. It says how many are left.
func (s *Service) Backup(ctx context.Context, id ID, code string, by audit.Actor) (m Member, left int, err error) {
	verdict := error(second.ErrCode)
	m, err = s.change(ctx, id, by, "staff.backup_code", func(c *Case) error {
		if !c.Works() {
			return errNoSecond
		}
		var rest []string
		if rest, verdict = c.Factor.CheckBackup(string(id), code, c.Backup, s.Now()); verdict != nil {
			return nil // the count of the tries is kept
		}
		c.Backup, left = rest, len(rest)
		return c.record()
	})
	switch {
	case err != nil:
		return Member{}, 0, err
	case errors.Is(verdict, second.ErrCode):
		return Member{}, 0, errBackup
	}
	return m, left, verdict
}

// Get finds a working member of the staff.
func (s *Service) Get(ctx context.Context, id ID) (Member, error) { return s.Store.Get(ctx, id) }

// List gives all members of the staff, oldest first.
func (s *Service) List(ctx context.Context) ([]Member, error) { return s.Store.List(ctx) }
