package account

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/app/fault"
	"gatehouse/app/work"
)

// AskReset mails a link to choose a new password. It answers the same for an address that nobody has.
func (s *Service) AskReset(ctx context.Context, email string) error {
	if !s.Tries.Take("reset", Fold(email)) {
		return ErrTooMany
	}
	u, _, err := s.Store.ByEmail(ctx, Fold(email))
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("ask reset: %w", err)
	}
	return s.Store.Ask(ctx, []work.Item{work.SendMail{Template: string(LinkReset), UserID: string(u.ID), Ref: newSecret()[:8]}})
}

// PeekReset says whether the link of token would still work, so that a page can ask for the new password.
func (s *Service) PeekReset(ctx context.Context, token string) error {
	_, err := s.Store.PeekLink(ctx, LinkReset, hashSecret(token), s.Now().UTC())
	return err
}

// Reset sets a new password for the person who was mailed token. The caller ends the person's sign-ins.
func (s *Service) Reset(ctx context.Context, token, password string) (User, error) {
	u, err := s.Store.PeekLink(ctx, LinkReset, hashSecret(token), s.Now().UTC())
	if err != nil {
		return User{}, err
	}
	if msg := CheckPassword(password, u.Email, u.Name); msg != "" {
		return User{}, fault.Bad(map[string]string{"password": msg})
	}
	hash, err := s.Hasher.Hash(ctx, password)
	if err != nil {
		return User{}, err
	}
	return s.Store.UseLink(ctx, LinkReset, hashSecret(token), s.Now().UTC(), hash)
}

// ChangePassword replaces a password whose owner knows it. The caller ends the person's other sign-ins.
func (s *Service) ChangePassword(ctx context.Context, of CustomerID, id UserID, old, password string) error {
	u, err := s.Store.User(ctx, of, id)
	if err != nil {
		return err
	}
	if !s.Tries.Take("sign-in", Fold(u.Email)) {
		return ErrTooMany
	}
	hash, err := s.Store.Hash(ctx, of, id)
	if err != nil {
		return err
	}
	if err := s.Hasher.Check(ctx, old, hash); err != nil {
		return badUnless(err, "old", "This is not your present password.")
	}
	if msg := CheckPassword(password, u.Email, u.Name); msg != "" {
		return fault.Bad(map[string]string{"password": msg})
	}
	if hash, err = s.Hasher.Hash(ctx, password); err != nil {
		return err
	}
	return s.Store.SetPassword(ctx, of, id, hash)
}

// badUnless turns a wrong secret into a message at field; any other error stays.
func badUnless(err error, field, msg string) error {
	if errors.Is(err, ErrWrong) {
		return fault.Bad(map[string]string{field: msg})
	}
	return err
}

func isNotFound(err error) bool { return err != nil && fault.Of(err).Kind == fault.NotFound }
