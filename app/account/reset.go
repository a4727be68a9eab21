package account

import (
	"context"
	"fmt"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/work"
)

// AskReset mails a link to choose a new password. It answers the same for an address that nobody has.
func (s *Service) AskReset(ctx context.Context, email string) error {
	return s.askLink(ctx, LinkReset, "reset", email)
}

// AskSignIn mails a link that signs in. It answers the same for an address that nobody has.
func (s *Service) AskSignIn(ctx context.Context, email string) error {
	if msg := CheckEmail(email); msg != "" {
		return fault.Bad(map[string]string{"email": msg})
	}
	return s.askLink(ctx, LinkSignIn, "sign-in-link", email)
}

// nobody is the recipient of letters to addresses that nobody has: they are queued like others, so that the answer takes the
// same time, and never written.
const nobody = "00000000-0000-0000-0000-000000000000"

func (s *Service) askLink(ctx context.Context, kind LinkKind, try, email string) error {
	if !s.Tries.Take(try, Fold(email)) {
		return ErrTooMany
	}
	u, _, err := s.Store.ByEmail(ctx, Fold(email))
	if isNotFound(err) {
		u.ID = nobody
	} else if err != nil {
		return fmt.Errorf("ask for %s link: %w", kind, err)
	}
	return s.Store.Ask(ctx, []work.Item{work.SendMail{Template: string(kind), UserID: string(u.ID), Ref: newSecret()[:8]}})
}

// PeekReset says whether the link of token would still work, so that a page can ask for the new password.
func (s *Service) PeekReset(ctx context.Context, token string) error {
	_, err := s.Store.PeekLink(ctx, LinkReset, hashSecret(token), s.Now().UTC())
	return err
}

// PeekSignIn says whom the link of token would sign in, and uses nothing up: mail programs open links by themselves.
func (s *Service) PeekSignIn(ctx context.Context, token string) (User, error) {
	return s.Store.PeekLink(ctx, LinkSignIn, hashSecret(token), s.Now().UTC())
}

// SignInByLink uses the link of token up and says whom it signs in.
func (s *Service) SignInByLink(ctx context.Context, token string) (User, error) {
	return s.Store.UseLink(ctx, LinkSignIn, hashSecret(token), s.Now().UTC(), LinkUse{})
}

// Reset sets a new password for the person who was mailed token, which ends every sign-in and API token of theirs. The person
// is told by a mail; address is where the request came from.
func (s *Service) Reset(ctx context.Context, token, password, address string) (User, error) {
	now := s.Now().UTC()
	u, err := s.Store.PeekLink(ctx, LinkReset, hashSecret(token), now)
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
	by := audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email, Address: address}
	e, err := entry(now, by, u.CustomerID, "user.password", string(u.ID))
	if err != nil {
		return User{}, err
	}
	return s.Store.UseLink(ctx, LinkReset, hashSecret(token), now, LinkUse{
		PasswordHash: hash, Record: e, Follow: []work.Item{work.SendMail{Template: TellPassword, UserID: string(u.ID), Ref: e.ID}},
	})
}

// TellPassword is the letter about a new password.
const TellPassword = "password_new"

func isNotFound(err error) bool { return err != nil && fault.Of(err).Kind == fault.NotFound }
