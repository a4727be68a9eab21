package account

import (
	"context"
	"fmt"

	"gatehouse/app/fault"
)

// ErrPassword refuses what takes the password of who is signed in.
var ErrPassword = fault.New(fault.Forbidden, "wrong-password", "wrong password of who is signed in", "This is not your password. Nothing was done. Try again.")

// Prove asks the person who is signed in for the password anew, as is done before a secret is shown and before what
// cannot be undone is allowed.
func (s *Service) Prove(ctx context.Context, of CustomerID, id UserID, email, password string) error {
	u, err := s.SignIn(ctx, email, password)
	switch {
	case fault.Of(err).Code == ErrWrong.Code:
		return ErrPassword
	case err != nil:
		return fmt.Errorf("confirm password: %w", err)
	case u.CustomerID != of || u.ID != id:
		return ErrPassword
	}
	return nil
}
