package account

import (
	"context"
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

// Reset sets a new password for the person who was mailed token, which ends every sign-in and API token of theirs.
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

func isNotFound(err error) bool { return err != nil && fault.Of(err).Kind == fault.NotFound }
