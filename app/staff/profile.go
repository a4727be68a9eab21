package staff

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/second"
)

// errNext says that there is no new second step to confirm.
var errNext = fault.New(fault.Conflict, "no-second", "no second factor waits for its code",
	"There is no new app to confirm. Nothing was changed. Start again on your profile page.")

const maxName = 100 // characters

// tidyName is a name without spaces too many, and what is wrong with it.
func tidyName(s string) (name, problem string) {
	name = strings.Join(strings.Fields(s), " ")
	switch {
	case name == "":
		return name, "Type a name."
	case utf8.RuneCountInString(name) > maxName:
		return name, "Shorten the name to 100 characters or less."
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }):
		return name, "Letters, digits, spaces and signs only."
	}
	return name, ""
}

// CodesLeft is how many backup codes a member has left.
func (s *Service) CodesLeft(ctx context.Context, id ID) (int, error) {
	c, err := s.Store.Peek(ctx, id)
	return len(c.Backup), err
}

// SetName changes one's own name.
func (s *Service) SetName(ctx context.Context, id ID, name string, by audit.Actor) (Member, error) {
	name, problem := tidyName(name)
	if problem != "" {
		return Member{}, fault.Bad(map[string]string{"name": problem})
	}
	return s.change(ctx, id, by, "staff.name", func(c *Case) error {
		if c.Name == name {
			return nil
		}
		c.Name = name
		return c.record()
	})
}

// SetLocale chooses the language of one's own pages and mails.
func (s *Service) SetLocale(ctx context.Context, id ID, locale string, by audit.Actor) (Member, error) {
	return s.change(ctx, id, by, "staff.language", func(c *Case) error {
		if c.Locale == locale {
			return nil
		}
		c.Locale, c.Entry.Details = locale, map[string]string{"language": locale}
		return c.record()
	})
}

// NewPassword is a change of one's own password.
type NewPassword struct{ Old, New string }

// SetPassword changes one's own password, which ends every sign-in and access key of the member.
func (s *Service) SetPassword(ctx context.Context, id ID, in NewPassword, by audit.Actor) error {
	was, err := s.Store.Peek(ctx, id)
	if err != nil {
		return err
	}
	if !s.Tries.Take("staff-password", string(id)) {
		return account.ErrTooMany
	}
	if err := s.Hasher.Check(ctx, in.Old, was.Hash); fault.Of(err).Code == account.ErrWrong.Code {
		return fault.Bad(map[string]string{"old": "This is not your password."})
	} else if err != nil {
		return err
	}
	if msg := account.CheckPassword(in.New, was.Email, was.Name); msg != "" {
		return fault.Bad(map[string]string{"new": msg})
	}
	hash, err := s.Hasher.Hash(ctx, in.New)
	if err != nil {
		return err
	}
	_, err = s.change(ctx, id, by, "staff.password", func(c *Case) error {
		if c.Hash != was.Hash {
			return fault.Bad(map[string]string{"old": "This is not your password."})
		}
		c.Hash = hash
		return c.record()
	})
	return err
}

// StartSecond prepares a new second step of one's own. The one before works until the new one has proven itself.
func (s *Service) StartSecond(ctx context.Context, id ID, by audit.Actor) error {
	_, err := s.change(ctx, id, by, "staff.second_start", func(c *Case) error {
		factor, err := second.New(c.Email)
		c.Next = factor.Secret
		return err
	})
	return err
}

// NextSecond is what the app of somebody who sets a new second step up has to learn.
func (s *Service) NextSecond(ctx context.Context, id ID) (second.Factor, error) {
	c, err := s.Store.Peek(ctx, id)
	if err == nil && c.Next == "" {
		err = errNext
	}
	return second.Factor{Secret: c.Next}, err
}

// ConfirmSecond replaces one's own second step by the new one, whose code proves it. It ends every sign-in of the member.
func (s *Service) ConfirmSecond(ctx context.Context, id ID, code string, by audit.Actor) error {
	verdict := error(second.ErrCode)
	_, err := s.change(ctx, id, by, "staff.second", func(c *Case) error {
		if c.Next == "" {
			return errNext
		}
		next := second.Factor{Secret: c.Next, Tries: c.Factor.Tries, Since: c.Factor.Since}
		if verdict = next.Check(code, s.Now()); verdict != nil {
			c.Factor.Tries, c.Factor.Since = next.Tries, next.Since
			return nil
		}
		c.Factor, c.Next, c.SecondAt = next, "", c.Entry.At
		return c.record()
	})
	if err != nil {
		return err
	}
	return asField(verdict)
}

// asField puts the refusal of a code beside its field.
func asField(err error) error {
	if f := fault.Of(err); err != nil && f.Kind == fault.Unauthorized {
		return fault.Bad(map[string]string{"code": f.Public})
	}
	return err
}

// NewCodes makes a new set of one's own backup codes, which replaces the one before. They exist in the answer alone.
func (s *Service) NewCodes(ctx context.Context, id ID, by audit.Actor) ([]string, error) {
	codes, hashes := second.NewBackup(string(id))
	_, err := s.change(ctx, id, by, "staff.backup_codes", func(c *Case) error {
		c.Backup = hashes
		return c.record()
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}
