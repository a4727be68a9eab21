package clientele

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// Create makes a customer and mails an invitation to become its owner to that address.
func (s *Service) Create(ctx context.Context, f Facts, email string, by audit.Actor) (Card, error) {
	if err := staff.Require(by, staff.CustomersWrite); err != nil {
		return Card{}, err
	}
	f, email = f.tidy(), strings.TrimSpace(email)
	bad := f.faults()
	if msg := account.CheckEmail(email); msg != "" {
		bad["email"] = msg
	}
	if len(bad) > 0 {
		return Card{}, fault.Bad(bad)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Card{}, fmt.Errorf("create customer: %w", err)
	}
	c := Card{Facts: f, ID: account.CustomerID(id.String()), Invited: email}
	i, e, err := s.invitation(c.ID, email, "customer.create", by)
	if err != nil {
		return Card{}, err
	}
	c.CreatedAt = e.At
	if err := s.Store.Create(ctx, c, i, e, letter(i)); err != nil {
		return Card{}, fmt.Errorf("create customer: %w", err)
	}
	return c, nil
}

// Invite mails the invitation of the first owner again, or to another address; the one before ends.
func (s *Service) Invite(ctx context.Context, of account.CustomerID, email string, by audit.Actor) (account.Invitation, error) {
	if err := staff.Require(by, staff.CustomersWrite); err != nil {
		return account.Invitation{}, err
	}
	email = strings.TrimSpace(email)
	if msg := account.CheckEmail(email); msg != "" {
		return account.Invitation{}, fault.Bad(map[string]string{"email": msg})
	}
	i, e, err := s.invitation(of, email, "customer.invite", by)
	if err != nil {
		return account.Invitation{}, err
	}
	if err := s.Store.Invite(ctx, i, e, letter(i)); err != nil {
		return account.Invitation{}, fmt.Errorf("invite the first owner: %w", err)
	}
	return i, nil
}

// Withdraw ends the open invitation of the first owner, and says whose it was.
func (s *Service) Withdraw(ctx context.Context, of account.CustomerID, by audit.Actor) (email string, err error) {
	if err := staff.Require(by, staff.CustomersWrite); err != nil {
		return "", err
	}
	e, err := s.entry(by, of, "customer.uninvite")
	if err != nil {
		return "", err
	}
	return s.Store.Withdraw(ctx, of, e)
}

// Change makes of what is kept about a customer what edit says. Its server hears of what it works with.
func (s *Service) Change(ctx context.Context, of account.CustomerID, edit func(was Facts) Facts, by audit.Actor) (Card, error) {
	if err := staff.Require(by, staff.CustomersWrite); err != nil {
		return Card{}, err
	}
	var c Card
	err := s.Store.Change(ctx, of, func(was Card) (Change, error) {
		f := edit(was.Facts).tidy()
		if bad := f.faults(); len(bad) > 0 {
			return Change{}, fault.Bad(bad)
		}
		c = was
		c.Facts = f
		e, err := s.entry(by, of, "customer.change")
		e.Details = map[string]string{"fields": strings.Join(f.differing(was.Facts), ", ")}
		ch := Change{Facts: f, Entry: e}
		if f.Name != was.Name || f.TimeZone != was.TimeZone {
			ch.Work = []work.Item{work.RefreshTeam{CustomerID: string(of)}}
		}
		return ch, err
	})
	if err != nil {
		return Card{}, fmt.Errorf("change customer: %w", err)
	}
	return c, nil
}

// AddNote keeps a note about a customer.
func (s *Service) AddNote(ctx context.Context, of account.CustomerID, text string, by audit.Actor) (Note, error) {
	if err := staff.Require(by, staff.CustomersWrite); err != nil {
		return Note{}, err
	}
	text = lines(text)
	if text == "" || utf8.RuneCountInString(text) > maxNote || !plain(text, true) {
		return Note{}, fault.Bad(map[string]string{"note": "Write a note of up to 4,000 characters."})
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Note{}, fmt.Errorf("note: %w", err)
	}
	e, err := s.entry(by, of, "customer.note")
	if err != nil {
		return Note{}, err
	}
	n := Note{ID: id.String(), CustomerID: of, Text: text, At: e.At, By: by.Name, ByID: by.ID}
	e.Details = map[string]string{"note": n.ID}
	if err := s.Store.AddNote(ctx, n, e); err != nil {
		return Note{}, fmt.Errorf("note: %w", err)
	}
	return n, nil
}

// Notes lists the notes about a customer, newest first.
func (s *Service) Notes(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[Note], error) {
	ask, err := ask.Clean()
	if err != nil {
		return page.Of[Note]{}, err
	}
	return s.Store.Notes(ctx, of, ask)
}

// invitation is one to become the first owner, with its record.
func (s *Service) invitation(
	of account.CustomerID, email, action string, by audit.Actor,
) (account.Invitation, audit.Entry, error) {
	id, err1 := uuid.NewV7()
	e, err2 := s.entry(by, of, action)
	if err := errors.Join(err1, err2); err != nil {
		return account.Invitation{}, e, fmt.Errorf("%s: %w", action, err)
	}
	e.Details = map[string]string{"invitation": id.String()}
	return account.Invitation{
		ID: id.String(), CustomerID: of, Email: email, Role: account.Owner, CreatedAt: e.At, ExpiresAt: e.At.Add(account.InviteLife),
	}, e, nil
}

// letter is the mail to who is invited.
func letter(i account.Invitation) []work.Item {
	return []work.Item{work.SendMail{Template: account.LetterInvite, UserID: i.ID, Ref: i.ID}}
}

func (s *Service) entry(by audit.Actor, of account.CustomerID, action string) (audit.Entry, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return audit.Entry{}, fmt.Errorf("%s: %w", action, err)
	}
	at := s.Now().UTC().Truncate(time.Microsecond)
	return audit.Entry{ID: id.String(), At: at, By: by, CustomerID: string(of), Action: action, Target: string(of)}, nil
}
