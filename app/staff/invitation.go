package staff

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/second"
	"gatehouse/app/work"
)

// LetterInvite is the letter that invites somebody to the staff.
const LetterInvite = "staff_invite"

// LinkLife is how long a link works that is mailed to staff.
const LinkLife = 72 * time.Hour

// Links that do not work any more, or never did.
var (
	ErrInvite = fault.New(fault.Gone, "invite-gone", "invitation unknown, replaced, revoked or expired",
		"This invitation was revoked, replaced or has expired. Ask the person who invited you for a new one.")
	ErrInviteUsed = fault.New(fault.Gone, "invite-used", "invitation was used",
		"This invitation was used already. Sign in with your email address and the password that you chose.")
	ErrLink = fault.New(fault.Gone, "second-link-gone", "link to set up a second factor used, replaced or expired",
		"This link was used, replaced or has expired. Ask an owner or admin of the staff for a new one.")
)

// Invitation is somebody who was asked to join.
type Invitation struct {
	ID        string
	Email     string
	Role      Role
	Locale    string // of the mail and, at first, of their pages
	By        ID
	ByName    string // e-mail address
	CreatedAt time.Time
	SentAt    time.Time // zero until the mail went out
	ExpiresAt time.Time // zero until then
	RefusedAt time.Time // the mail server took no mail to that address
	EndedAt   time.Time // revoked or replaced
	Accepted  bool
}

// usable says whether the invitation can be accepted at now.
func (i Invitation) usable() error {
	switch {
	case i.Accepted:
		return ErrInviteUsed
	case !i.EndedAt.IsZero():
		return ErrInvite
	}
	return nil
}

// Invitations is what Service needs of invitations; db.Staff has it.
type Invitations interface {
	// Invite stores an invitation in place of an older one to that address. An address of a member is ErrTaken.
	Invite(ctx context.Context, i Invitation, factor second.Factor, e audit.Entry, follow []work.Item) error
	// Invitation finds one that is open.
	Invitation(ctx context.Context, id string) (Invitation, error)
	// Invitations gives the open ones, newest first.
	Invitations(ctx context.Context) ([]Invitation, error)
	// Again voids the links of an open invitation and has another mail sent.
	Again(ctx context.Context, id string, e audit.Entry, follow []work.Item) error
	// Revoke ends an open invitation.
	Revoke(ctx context.Context, id string, e audit.Entry) error
	// Mailed keeps the link of a mail to the invited.
	Mailed(ctx context.Context, id string, hash []byte, now, until time.Time) error
	// MailRefused keeps that the mail server took no mail to the invited.
	MailRefused(ctx context.Context, id string, now time.Time) error
	// Invited finds the invitation of a link, and what the app of the invited has to learn. An unknown or expired link is ErrInvite.
	Invited(ctx context.Context, hash []byte, now time.Time) (Invitation, second.Factor, error)
	// Accept makes the invited a member: of two at once, one. An invitation that was used is ErrInviteUsed.
	Accept(ctx context.Context, hash []byte, j Joined) error
}

// Joined is a new member with their secrets.
type Joined struct {
	Member
	Hash   string
	Factor second.Factor
	Backup []string
	Entry  audit.Entry
}

// Invite asks somebody to join the staff by mail.
func (s *Service) Invite(ctx context.Context, email string, r Role, locale string, by audit.Actor) (Invitation, error) {
	email = strings.TrimSpace(email)
	bad := map[string]string{}
	if msg := account.CheckEmail(email); msg != "" {
		bad["email"] = msg
	}
	if !slices.Contains(Roles(), r) {
		bad["role"] = "Choose OWNER, ADMIN, MANAGER or SUPPORT."
	}
	if len(bad) > 0 {
		return Invitation{}, fault.Bad(bad)
	}
	if err := s.gives(ctx, r, by); err != nil {
		return Invitation{}, err
	}
	factor, err := second.New(email)
	if err != nil {
		return Invitation{}, err
	}
	i := Invitation{
		ID: uuid.Must(uuid.NewV7()).String(), Email: email, Role: r, Locale: locale, By: ID(by.ID), ByName: by.Name,
		CreatedAt: s.Now().UTC(),
	}
	e := s.entry(by, "staff.invite", i.ID)
	e.Details = map[string]string{"role": string(r)}
	if err := s.Store.Invite(ctx, i, factor, e, mailTo(i.ID)); err != nil {
		return Invitation{}, fmt.Errorf("invite: %w", err)
	}
	return i, nil
}

// gives says whether who acts may give a role, now.
func (s *Service) gives(ctx context.Context, r Role, by audit.Actor) error {
	m, err := s.Store.Get(ctx, ID(by.ID))
	if err != nil {
		return err
	}
	if !m.Role.Manages(r) {
		return errOwners
	}
	return nil
}

// mailTo is the mail to the invited. It happens once for each time that it is asked for.
func mailTo(invitation string) []work.Item {
	return []work.Item{work.SendMail{Template: LetterInvite, UserID: invitation, Ref: newToken()[:8]}}
}

// Invitations gives those that wait for an answer, newest first.
func (s *Service) Invitations(ctx context.Context) ([]Invitation, error) {
	return s.Store.Invitations(ctx)
}

// InviteAgain mails an invitation once more; the link before ends.
func (s *Service) InviteAgain(ctx context.Context, id string, by audit.Actor) (Invitation, error) {
	i, err := s.invitation(ctx, id, by)
	if err == nil {
		err = s.Store.Again(ctx, id, s.entry(by, "staff.invite_again", id), mailTo(id))
	}
	return i, err
}

// RevokeInvitation takes an invitation back.
func (s *Service) RevokeInvitation(ctx context.Context, id string, by audit.Actor) (Invitation, error) {
	i, err := s.invitation(ctx, id, by)
	if err == nil {
		err = s.Store.Revoke(ctx, id, s.entry(by, "staff.invite_revoke", id))
	}
	return i, err
}

// invitation finds one that is open and that who acts may change.
func (s *Service) invitation(ctx context.Context, id string, by audit.Actor) (Invitation, error) {
	i, err := s.Store.Invitation(ctx, id)
	if err != nil {
		return Invitation{}, err
	}
	return i, s.gives(ctx, i.Role, by)
}

// MailRefused notes that the mail server refused a mail to the invited for good.
func (s *Service) MailRefused(ctx context.Context, id string) error {
	return s.Store.MailRefused(ctx, id, s.Now().UTC())
}

// Letters says whether this package makes the letter.
func Letters(template string) bool {
	return template == LetterInvite || template == LetterSecond || template == LetterPasskey
}

// CarriesCode says whether Codes makes the letter.
func CarriesCode(template string) bool { return template == LetterCode }

// Letter makes the contents of a mail to staff. The secret of its link is made here, when the mail is sent, so that no row of the
// queue ever holds it.
func (s *Service) Letter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	if m.Template == LetterPasskey {
		who, err := s.Store.Get(ctx, ID(m.UserID))
		return account.Letter{Template: m.Template, To: who.Email, Name: who.Name, Locale: who.Locale, Ref: m.Ref}, err
	}
	l := account.Letter{Template: m.Template, Token: newToken(), Ref: m.Ref}
	now := s.Now().UTC()
	if m.Template == LetterSecond {
		who, err := s.Store.Get(ctx, ID(m.UserID))
		if err == nil {
			err = s.Store.AddLink(ctx, who.ID, hashToken(l.Token), now, now.Add(LinkLife))
		}
		if err != nil {
			return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
		}
		l.To, l.Name, l.Locale = who.Email, who.Name, who.Locale
		return l, nil
	}
	i, err := s.Store.Invitation(ctx, m.UserID)
	if err == nil {
		err = s.Store.Mailed(ctx, i.ID, hashToken(l.Token), now, now.Add(LinkLife))
	}
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	l.To, l.Locale, l.By = i.Email, i.Locale, i.ByName
	return l, nil
}

// Invited finds the invitation that somebody was mailed, and what their app has to learn. It uses nothing up.
func (s *Service) Invited(ctx context.Context, token string) (Invitation, second.Factor, error) {
	i, factor, err := s.Store.Invited(ctx, hashToken(token), s.Now().UTC())
	if err == nil {
		err = i.usable()
	}
	return i, factor, err
}

// Joining is what the invited bring.
type Joining struct{ Name, Password, Code string }

// Join makes the invited a member of the staff, and gives the backup codes, which exist in the answer alone.
func (s *Service) Join(ctx context.Context, token string, in Joining, from string) (Member, []string, error) {
	i, factor, err := s.Invited(ctx, token)
	if err != nil {
		return Member{}, nil, err
	}
	name, problem := tidyName(in.Name)
	bad := map[string]string{}
	if problem != "" {
		bad["name"] = problem
	}
	if msg := account.CheckPassword(in.Password, i.Email, name); msg != "" {
		bad["password"] = msg
	}
	if err := factor.Check(in.Code, s.Now()); err != nil {
		bad["code"] = second.ErrCode.Public
	}
	if len(bad) > 0 {
		return Member{}, nil, fault.Bad(bad)
	}
	hash, err := s.Hasher.Hash(ctx, in.Password)
	if err != nil {
		return Member{}, nil, err
	}
	now, id := s.Now().UTC(), ID(uuid.Must(uuid.NewV7()).String())
	m := Member{ID: id, Email: i.Email, Name: name, Role: i.Role, Locale: i.Locale, CreatedAt: now, SecondAt: now}
	codes, backup := second.NewBackup(string(id))
	e := s.entry(ofMember(m, from), "staff.join", string(id))
	e.Details = map[string]string{"role": string(i.Role), "invitation": i.ID}
	if err := s.Store.Accept(ctx, hashToken(token), Joined{Member: m, Hash: hash, Factor: factor, Backup: backup, Entry: e}); err != nil {
		return Member{}, nil, fmt.Errorf("join: %w", err)
	}
	return m, codes, nil
}

// Reset finds who was mailed a link to set the second step up again, and what their app has to learn.
func (s *Service) Reset(ctx context.Context, token string) (Member, second.Factor, error) {
	id, err := s.Store.Linked(ctx, hashToken(token), s.Now().UTC())
	if err != nil {
		return Member{}, second.Factor{}, err
	}
	c, err := s.Store.Peek(ctx, id)
	return c.Member, c.Factor, err
}

// SetUp sets the second step up again for whoever was mailed token and knows the password, and gives new backup codes.
func (s *Service) SetUp(ctx context.Context, token, password, code, from string) (Member, []string, error) {
	m, factor, err := s.Reset(ctx, token)
	if err != nil {
		return Member{}, nil, err
	}
	was, err := s.Store.Peek(ctx, m.ID)
	if err != nil {
		return Member{}, nil, err
	}
	if !s.Tries.Take("staff-sign-in", account.Fold(m.Email)) {
		return Member{}, nil, account.ErrTooMany
	}
	if err := s.Hasher.Check(ctx, password, was.Hash); fault.Of(err).Code == account.ErrWrong.Code {
		return Member{}, nil, fault.Bad(map[string]string{"password": "This is not your password."})
	} else if err != nil {
		return Member{}, nil, err
	}
	if err := factor.Check(code, s.Now()); err != nil {
		return Member{}, nil, fault.Bad(map[string]string{"code": second.ErrCode.Public})
	}
	codes, backup := second.NewBackup(string(m.ID))
	m, err = s.change(ctx, m.ID, ofMember(m, from), "staff.second", func(c *Case) error {
		if c.Hash != was.Hash || c.Factor.Secret != factor.Secret {
			return ErrLink
		}
		c.Factor, c.Backup, c.SecondAt = factor, backup, c.Entry.At
		c.Link, c.Unlink = hashToken(token), true
		return c.record()
	})
	return m, codes, err
}

// ofMember is a member as the one who acts.
func ofMember(m Member, from string) audit.Actor {
	return audit.Actor{Kind: audit.Staff, ID: string(m.ID), Name: m.Email, Role: string(m.Role), Address: from}
}

// newToken is 256 random bits in base64url.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func hashToken(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}
