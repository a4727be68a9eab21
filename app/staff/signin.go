package staff

import (
	"context"
	"fmt"

	"gatehouse/app/account"
	"gatehouse/app/fault"
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
	if m.ID == "" {
		return Member{}, account.ErrWrong
	}
	return m, nil
}

// Code is the second half: the one-time code of somebody whose password was right.
func (s *Service) Code(ctx context.Context, id ID, code string) (Member, error) {
	verdict := error(ErrCode)
	m, err := s.Store.Second(ctx, id, func(f *SecondFactor) { verdict = f.Check(code, s.Now()) })
	if err != nil {
		return Member{}, fmt.Errorf("one-time code: %w", err)
	}
	if verdict != nil {
		return Member{}, verdict
	}
	return m, nil
}

// Get finds a working member of the staff.
func (s *Service) Get(ctx context.Context, id ID) (Member, error) { return s.Store.Get(ctx, id) }

// List gives all members of the staff, oldest first.
func (s *Service) List(ctx context.Context) ([]Member, error) { return s.Store.List(ctx) }
