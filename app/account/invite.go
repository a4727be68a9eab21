package account

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/work"
)

// InviteLife is how long an invitation can be answered.
const InviteLife = 72 * time.Hour

// maxInvitations is how many of a business may be open at once.
const maxInvitations = 20

// LetterInvite is the mail that invites somebody, and LetterKnown the one to somebody who has an account already.
// LetterFirst is the one to who becomes the first owner.
const (
	LetterInvite = "invite"
	LetterKnown  = "invite_known"
	LetterFirst  = "invite_first"
)

// Refusals of invitations. None of them tells whether an address has an account elsewhere.
var (
	ErrInvitation = fault.New(fault.Gone, "invitation-gone", "invitation used, revoked, replaced, expired or unknown",
		"This invitation was used, withdrawn or has expired. Nothing was changed. Ask whoever invited you for a new one.")
	ErrUnproven = fault.New(fault.Forbidden, "address-unproven", "inviter has not proven their own address",
		"Confirm your own email address first, then you can invite people. Nothing was sent.")
	ErrInvitationsFull = fault.New(fault.Conflict, "invitations-full", "too many open invitations",
		"As many invitations as we allow are waiting already. Nothing was sent. Withdraw one that is no longer needed.")
	ErrJoinTaken = fault.New(fault.Conflict, "email-taken", "e-mail address of an invitation is taken",
		"This address has an account already, which belongs to one business. Nothing was changed. Ask to be invited at another one.")
)

// Invitation lets somebody join the people of a business.
type Invitation struct {
	ID         string
	CustomerID CustomerID
	Email      string // as it was typed
	Role       Role   // what the person is then: a member, or the first owner
	Chat       bool   // what a member may do
	Approve    bool
	By         UserID // empty of the first owner, whom our staff invite
	CreatedAt  time.Time
	ExpiresAt  time.Time
	RefusedAt  time.Time // the mail server took no mail for the address; zero: it did
}

// Expired says whether nobody can answer it any more.
func (i Invitation) Expired(now time.Time) bool { return !now.Before(i.ExpiresAt) }

// Rights is what the invited person may do.
func (i Invitation) Rights() Rights { return Rights{Role: i.Role, Chat: i.Chat, Approve: i.Approve} }

// Invited is an invitation as the invited person reads it.
type Invited struct {
	Invitation
	Business     string
	InviterName  string // empty of the first owner, as the address
	InviterEmail string
	Known        bool   // the address has an account already
	Locale       string // of the inviter, else of the business
}

// Invitations lists the open invitations of a business, newest first, also those that ran out.
func (s *Service) Invitations(ctx context.Context, of CustomerID) ([]Invitation, error) {
	return s.Store.Invitations(ctx, of)
}

// Invite mails somebody an invitation, in place of an earlier one to the same address. The answer is the same whether or not
// the address has an account somewhere; the mail tells its owner.
func (s *Service) Invite(ctx context.Context, of CustomerID, email string, chat, approve bool, by audit.Actor) (Invitation, error) {
	email = strings.TrimSpace(email)
	if msg := CheckEmail(email); msg != "" {
		return Invitation{}, fault.Bad(map[string]string{"email": msg})
	}
	if err := s.mayInvite(ctx, of, email, by); err != nil {
		return Invitation{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Invitation{}, fmt.Errorf("invite: %w", err)
	}
	now := s.Now().UTC()
	inv := Invitation{
		ID: id.String(), CustomerID: of, Email: email, Role: Member, Chat: chat, Approve: approve, By: UserID(by.ID),
		CreatedAt: now, ExpiresAt: now.Add(InviteLife),
	}
	e, err := entry(now, by, of, "people.invite", inv.ID)
	if err != nil {
		return Invitation{}, err
	}
	e.Details = inv.Rights().details()
	letter := work.SendMail{Template: LetterInvite, UserID: by.ID, Ref: inv.ID}
	if err := s.Store.Invite(ctx, inv, s.MostInvitations.Or(maxInvitations), e, []work.Item{letter}); err != nil {
		return Invitation{}, fmt.Errorf("invite: %w", err)
	}
	return inv, nil
}

// mayInvite refuses who has not proven their own address, invites too often, or somebody who belongs to the business.
func (s *Service) mayInvite(ctx context.Context, of CustomerID, email string, by audit.Actor) error {
	people, err := s.Store.Users(ctx, of)
	if err != nil {
		return err
	}
	me := find(people, UserID(by.ID))
	switch {
	case me == nil || me.Role != Owner:
		return Refused(Manage)
	case !me.Verified():
		return ErrUnproven
	}
	for _, u := range people {
		if Fold(u.Email) == Fold(email) {
			return fault.Bad(map[string]string{"email": "This person belongs to your business already."})
		}
	}
	if !s.Tries.Take("invite", string(of)) {
		return ErrTooMany
	}
	return nil
}

// InviteAgain sends an invitation again: a new link with the full time, and the earlier one ends.
func (s *Service) InviteAgain(ctx context.Context, of CustomerID, id string, by audit.Actor) (Invitation, error) {
	open, err := s.Store.Invitations(ctx, of)
	if err != nil {
		return Invitation{}, err
	}
	for _, i := range open {
		if i.ID == id {
			return s.Invite(ctx, of, i.Email, i.Chat, i.Approve, by)
		}
	}
	return Invitation{}, errInvitationEnded
}

var errInvitationEnded = fault.New(fault.NotFound, "invitation-ended", "no open invitation of that id",
	"This invitation is no longer open: it was answered, withdrawn or replaced. Nothing was changed.")

// Uninvite ends an invitation that is open.
func (s *Service) Uninvite(ctx context.Context, of CustomerID, id string, by audit.Actor) (Invitation, error) {
	e, err := entry(s.Now().UTC(), by, of, "people.uninvite", id)
	if err != nil {
		return Invitation{}, err
	}
	i, err := s.Store.EndInvitation(ctx, of, id, e)
	if isNotFound(err) {
		return Invitation{}, errInvitationEnded
	}
	return i, err
}

// InviteRefused notes that the mail server refused the mail of an invitation for good.
func (s *Service) InviteRefused(ctx context.Context, id string) error {
	return s.Store.InviteRefused(ctx, id, s.Now().UTC())
}

// inviteLetter writes the mail of an invitation; its secret is made now, and one from an earlier try ends.
func (s *Service) inviteLetter(ctx context.Context, id string) (Letter, error) {
	token := newSecret()
	i, err := s.Store.MailInvitation(ctx, id, hashSecret(token), s.Now().UTC())
	if err != nil {
		return Letter{}, fmt.Errorf("letter %s: %w", LetterInvite, err)
	}
	l := Letter{
		Template: LetterInvite, To: i.Email, Locale: i.Locale, Token: token, Ref: id, By: i.InviterName,
		ByEmail: i.InviterEmail, Business: i.Business,
	}
	switch {
	case i.Known && i.Role == Owner:
		return Letter{}, errKnownSince
	case i.Known:
		l.Template, l.Token = LetterKnown, ""
	case i.Role == Owner:
		l.Template = LetterFirst
	}
	return l, nil
}

// errKnownSince ends the mail to a first owner whose address has got an account since they were invited: the console goes on saying
// that it was not sent.
var errKnownSince = fault.New(fault.NotFound, "known-since", "the invited first owner has an account by now",
	"This address has an account already.")

// PeekInvitation reads the invitation that a mailed secret opens, and uses nothing up.
func (s *Service) PeekInvitation(ctx context.Context, token string) (Invited, error) {
	return s.Store.PeekInvitation(ctx, hashSecret(token), s.Now().UTC())
}

// Join is what an invited person chooses.
type Join struct {
	Name     string
	Password string
	Locale   string // language of the page; may be empty
	Address  string // network address, for the record
}

// Join makes the invited person one of the business. The address counts as proven: the secret was mailed there.
func (s *Service) Join(ctx context.Context, token string, in Join) (User, error) {
	i, err := s.PeekInvitation(ctx, token)
	if err != nil {
		return User{}, err
	}
	in.Name = tidy(in.Name)
	bad := map[string]string{}
	for field, msg := range map[string]string{
		"name": checkName(in.Name, "your name"), "password": CheckPassword(in.Password, i.Email, in.Name, i.Business),
	} {
		if msg != "" {
			bad[field] = msg
		}
	}
	if len(bad) > 0 {
		return User{}, fault.Bad(bad)
	}
	hash, err := s.Hasher.Hash(ctx, in.Password)
	if err != nil {
		return User{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return User{}, fmt.Errorf("join: %w", err)
	}
	now := s.Now().UTC()
	u := User{
		ID: UserID(id.String()), CustomerID: i.CustomerID, Email: i.Email, Name: in.Name, Role: i.Role, Chat: i.Chat, Approve: i.Approve,
		Locale: in.Locale, VerifiedAt: now, CreatedAt: now,
	}
	e, err := entry(now, audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email, Address: in.Address},
		u.CustomerID, "people.join", i.ID)
	if err != nil {
		return User{}, err
	}
	e.Details = i.Rights().details()
	follow := []work.Item{work.RefreshTeam{CustomerID: string(u.CustomerID), UserID: string(u.ID)}}
	if err := s.Store.Join(ctx, hashSecret(token), u, hash, e, follow); err != nil {
		return User{}, fmt.Errorf("join: %w", err)
	}
	return u, nil
}
