package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/work"
)

// LinkKind says what a mailed link is for.
type LinkKind string

// The kinds of links.
const (
	LinkVerify LinkKind = "verify"
	LinkReset  LinkKind = "reset"
	LinkSignIn LinkKind = "sign_in"
)

// linkKinds are those letters that carry a link of their own.
var linkKinds = map[LinkKind]bool{LinkVerify: true, LinkReset: true, LinkSignIn: true}

// linkLife is how long a mailed link works.
const linkLife = 30 * time.Minute

// ErrLink says that a link does not work any more, or never did.
var ErrLink = fault.New(fault.Gone, "link-gone", "mailed link used, expired or unknown", "This link was used already or has expired. Nothing was changed. Ask for a new one.")

// Link is a secret that was mailed to a person, kept by its hash.
type Link struct {
	Hash      []byte // SHA-256 of the secret
	Kind      LinkKind
	UserID    UserID
	CreatedAt time.Time
	ExpiresAt time.Time
}

// LinkUse is what comes with the use of a link.
type LinkUse struct {
	PasswordHash string      // reset only
	Record       audit.Entry // reset only
	Follow       []work.Item // reset only
}

// Letter is everything that a mail to a person says. Token is the secret of its link: it exists here and in the mail.
type Letter struct {
	Template string // verify, reset, sign_in, welcome, invite, invite_known, order_…
	To       string // e-mail address
	Name     string // of the person
	Locale   string // their language; may be empty
	Token    string // verify, reset, sign_in and invite only
	Ref      string // id of what the mail is about
	By       string // invitations only: the name of the inviter
	ByEmail  string // likewise, the address
	Business string // likewise, theirs

	Order Ordered   // mails about an order only
	Act   Destroyed // mails with a code for our staff only; the code is Token
	Pool  Pool      // mails about the tokens of a month only
	Plan  Plan      // mails about a plan only
}

// Plan is what a mail about a plan says of it. Times are in the customer's time zone.
type Plan struct {
	Name    string
	Monthly int64     // cents a month, before tax
	From    time.Time // since when it holds
	Ends    time.Time // when it is, or was to be, over; zero: it was not cancelled
	Erased  time.Time // when the server is deleted then
}

// Pool is what a mail about the tokens of a month says of them.
type Pool struct {
	Drawn, Tokens int64
	Beyond        bool      // the team works on, for money, when they are used up
	Until         time.Time // when the month ends, in the customer's time zone
}

// Destroyed is what a code that our staff are mailed is for.
type Destroyed struct {
	Action string // order.end, …
	Name   string // of what it is on
}

// Ordered is what a mail about an order says of it.
type Ordered struct {
	ID       string
	Number   int64
	Customer string    // name of the business
	Why      string    // why it ended, or what our staff are told of
	On       time.Time // when its server is released, in the customer's time zone; zero unless it has ended
}

// Letter makes the contents of a mail that was asked for. The secret of a link is made here, when the mail is sent, so
// that no row of the queue ever holds it; a letter that is made again carries a new one.
func (s *Service) Letter(ctx context.Context, m work.SendMail) (Letter, error) {
	if m.Template == LetterInvite {
		return s.inviteLetter(ctx, m.Ref)
	}
	u, err := s.Store.Recipient(ctx, UserID(m.UserID))
	if err != nil {
		return Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	l := Letter{Template: m.Template, To: u.Email, Name: u.Name, Locale: u.Locale, Ref: m.Ref}
	if kind := LinkKind(m.Template); linkKinds[kind] {
		l.Token, err = s.newLink(ctx, u.ID, kind)
	}
	return l, err
}

func (s *Service) newLink(ctx context.Context, id UserID, kind LinkKind) (string, error) {
	token, now := newSecret(), s.Now().UTC()
	err := s.Store.AddLink(ctx, Link{
		Hash: hashSecret(token), Kind: kind, UserID: id, CreatedAt: now, ExpiresAt: now.Add(linkLife),
	})
	if err != nil {
		return "", fmt.Errorf("new %s link: %w", kind, err)
	}
	return token, nil
}

// Verify proves the address of the person who was mailed token.
func (s *Service) Verify(ctx context.Context, token string) (User, error) {
	return s.Store.UseLink(ctx, LinkVerify, hashSecret(token), s.Now().UTC(), LinkUse{})
}

// MailRefused notes that the mail server refused a mail to that person for good.
func (s *Service) MailRefused(ctx context.Context, id UserID) error {
	return s.Store.MailRefused(ctx, id, s.Now().UTC())
}

// AskVerify sends the person a new link to prove their address, unless it is proven.
func (s *Service) AskVerify(ctx context.Context, of CustomerID, id UserID) error {
	u, err := s.Store.User(ctx, of, id)
	if err != nil || u.Verified() {
		return err
	}
	return s.Store.Ask(ctx, []work.Item{work.SendMail{Template: string(LinkVerify), UserID: string(id), Ref: newSecret()[:8]}})
}

// newSecret is 256 random bits in base64url.
func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func hashSecret(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}
