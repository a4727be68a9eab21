package policy

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// ErrAddress says that a text is not one bare e-mail address.
var ErrAddress = errors.New("not one plain e-mail address")

// Address reads one bare address (no name, no list, no line break) and gives the form in which addresses are compared
// and to which mail is sent: NFKC, case folded, the domain in ASCII. Only ASCII may stand before the @.
func Address(s string) (string, error) {
	if len(s) > 254 || strings.ContainsAny(s, ",;<>()\"\\[]:") || strings.ContainsFunc(s, isBlank) {
		return "", ErrAddress
	}
	s = cases.Fold().String(norm.NFKC.String(s))
	local, domain, ok := strings.Cut(s, "@")
	if !ok || strings.ContainsFunc(local, func(r rune) bool { return r > unicode.MaxASCII }) {
		return "", ErrAddress
	}
	domain, err := idna.Lookup.ToASCII(domain)
	if err != nil || !strings.Contains(domain, ".") {
		return "", ErrAddress
	}
	a, err := mail.ParseAddress(local + "@" + domain)
	if err != nil || a.Name != "" || a.Address != local+"@"+domain {
		return "", ErrAddress
	}
	return a.Address, nil
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || hidden(r) }

// Message classifies one mail: inside are the verified addresses of the customer's own users, all else is outside.
func Message(a MessageArgs, env Env) Class {
	const action = "mail.message.send"
	to, err := Address(a.To)
	switch {
	case err != nil:
		return Refuse(action, "The recipient is not one plain e-mail address.")
	case a.Channel != "" && a.Channel != "email":
		return Refuse(action, "This server sends e-mail only.")
	case strings.ContainsFunc(a.Subject, unicode.IsControl):
		return Refuse(action, "The subject must be one line.")
	case strings.TrimSpace(a.Text) == "":
		return Refuse(action, "The message is empty.")
	case strings.ContainsRune(a.Text, 0):
		return Refuse(action, "The message is not plain text.")
	}
	says := to + ": " + visible(a.Subject)
	if env.inside(to) {
		return Class{Tier: Green, Action: "mail.message.note", Says: "Write to " + says}
	}
	return Class{Tier: YellowExternal, Action: action, Says: "E-mail " + says, Outside: []string{to}}
}

func (e Env) inside(to string) bool {
	for _, own := range e.Inside {
		if a, err := Address(own); err == nil && a == to {
			return true
		}
	}
	return false
}
