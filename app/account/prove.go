package account

import (
	"context"
	"fmt"
	"strings"

	"gatehouse/app/fault"
	"gatehouse/app/second"
)

// Refusals of a proof of who is signed in.
var (
	// ErrPassword refuses what takes the password of who is signed in.
	ErrPassword = fault.New(fault.Forbidden, "wrong-password", "wrong password of who is signed in",
		"This is not your password. Nothing was done. Try again.")
	// ErrProofCode refuses a code of the app that is wrong, or was used.
	ErrProofCode = fault.New(fault.Forbidden, "wrong-proof-code", "wrong or used code of the app of who is signed in",
		"This code is wrong, was used already, or no app is set up for your account. Nothing was done. "+
			"Type the code that your app shows now, or your password.")
)

// appSigns is how many digits a code of an app has. No password is that short.
const appSigns = 6

// Prove asks the person who is signed in anew who they are, as is done before a secret is shown and before what cannot be undone
// is allowed: by the password or, for who has none or does not know it, by a code of their app. Each code proves once, here and at
// the sign-in together. Backup codes prove nothing here: they are for getting in again.
func (s *Service) Prove(ctx context.Context, of CustomerID, id UserID, email, typed string) error {
	if code := strings.ReplaceAll(strings.TrimSpace(typed), " ", ""); isAppCode(code) {
		return s.proveByCode(ctx, of, id, code)
	}
	u, err := s.SignIn(ctx, email, typed)
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

func isAppCode(typed string) bool {
	return len(typed) == appSigns && strings.Trim(typed, "0123456789") == ""
}

func (s *Service) proveByCode(ctx context.Context, of CustomerID, id UserID, code string) error {
	if s.Seconds == nil {
		return ErrProofCode
	}
	_, _, err := s.Seconds.Check(ctx, of, id, code)
	switch fault.Of(err).Code {
	case second.ErrCode.Code, ErrSecondOff.Code:
		return ErrProofCode
	}
	return err
}
