package account

import (
	"context"
	"fmt"

	"gatehouse/app/fault"
)

// Refusals of a sign-in. They never say which part was wrong.
var (
	ErrWrong   = fault.New(fault.Unauthorized, "wrong-sign-in", "wrong e-mail address or password", "The email address or the password is wrong. Try again.")
	ErrTooMany = fault.New(fault.TooMany, "too-many-tries", "too many tries", "Too many tries. Wait a minute, then try again.")
)

// SignIn returns the person with that address and password. It does the same work whether or not the address is known.
func (s *Service) SignIn(ctx context.Context, email, password string) (User, error) {
	folded := Fold(email)
	if !s.Tries.Take("sign-in", folded) {
		return User{}, ErrTooMany
	}
	u, hash, err := s.Store.ByEmail(ctx, folded)
	if isNotFound(err) {
		hash = s.Hasher.Dummy()
	} else if err != nil {
		return User{}, fmt.Errorf("sign in: %w", err)
	}
	if err := s.Hasher.Check(ctx, password, hash); err != nil || u.ID == "" {
		return User{}, orWrong(err)
	}
	return u, nil
}

func orWrong(err error) error {
	if err == nil {
		return ErrWrong
	}
	return err
}
