package account

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"gatehouse/app/fault"
	"gatehouse/app/work"
)

// SignUp is what a newcomer types at checkout.
type SignUp struct {
	Name     string // of the person
	Business string // of the business; empty: the person's name
	Email    string
	Password string
	TimeZone string // IANA name from the browser; empty or unknown: UTC
	Locale   string // language of the page; may be empty
}

// ErrEmailTaken says that somebody signed up with that address before.
var ErrEmailTaken = fault.New(fault.Conflict, "email-taken", "e-mail address is taken", "An account with this email address already exists. Nothing was charged. Sign in instead.")

// Prepare checks what a newcomer typed and makes the customer and its owner. Nothing is stored: the order does that, in
// one transaction with itself.
func (s *Service) Prepare(ctx context.Context, in SignUp) (New, error) {
	in = in.clean()
	if bad := in.faults(); len(bad) > 0 {
		return New{}, fault.Bad(bad)
	}
	hash, err := s.Hasher.Hash(ctx, in.Password)
	if err != nil {
		return New{}, err
	}
	cid, err1 := uuid.NewV7()
	uid, err2 := uuid.NewV7()
	if err := errors.Join(err1, err2); err != nil {
		return New{}, fmt.Errorf("sign up: %w", err)
	}
	now := s.Now().UTC()
	return New{
		Customer: Customer{ID: CustomerID(cid.String()), Name: in.Business, TimeZone: in.TimeZone, CreatedAt: now},
		Owner: User{
			ID: UserID(uid.String()), CustomerID: CustomerID(cid.String()), Email: in.Email, Name: in.Name, Role: Owner, Locale: in.Locale,
			CreatedAt: now,
		},
		PasswordHash: hash,
		Work:         []work.Item{work.SendMail{Template: string(LinkVerify), UserID: uid.String(), Ref: uid.String()}},
	}, nil
}

func (in SignUp) clean() SignUp {
	in.Name, in.Business, in.Email = tidy(in.Name), tidy(in.Business), strings.TrimSpace(in.Email)
	if in.Business == "" {
		in.Business = in.Name
	}
	if !IsZone(in.TimeZone) {
		in.TimeZone = "UTC"
	}
	return in
}

func (in SignUp) faults() map[string]string {
	bad := map[string]string{}
	for field, msg := range map[string]string{
		"name":     checkName(in.Name, "your name"),
		"business": checkName(in.Business, "the name of your business"),
		"email":    CheckEmail(in.Email),
		"password": CheckPassword(in.Password, in.Email, in.Name, in.Business),
	} {
		if msg != "" {
			bad[field] = msg
		}
	}
	return bad
}

const maxName = 100 // characters

func checkName(s, what string) string {
	switch {
	case s == "":
		return "Type " + what + "."
	case utf8.RuneCountInString(s) > maxName:
		return "Shorten " + what + " to 100 characters or less."
	case strings.ContainsFunc(s, unprintable):
		return "Letters, digits, spaces and signs only."
	}
	return ""
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }

// CheckEmail says in words what is wrong with an address, or nothing. One bare address: no display name, no list.
func CheckEmail(s string) string {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 || strings.ContainsAny(s, " \"(),:;<>[\\]\r\n") {
		return "Type one email address, like someone@example.com."
	}
	_, host, _ := strings.Cut(s, "@")
	if host == "" || strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") {
		return "Type one email address, like someone@example.com."
	}
	return ""
}

// Fold is the form in which addresses are compared: NFKC, then case folded.
func Fold(email string) string {
	return cases.Fold().String(norm.NFKC.String(strings.TrimSpace(email)))
}

func tidy(s string) string { return strings.Join(strings.Fields(s), " ") }
