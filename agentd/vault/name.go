package vault

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// nameForm is the form of a secret's name: tool.key. References know no other.
var nameForm = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?)+$`)

// maxValue is the largest value in bytes: a private key with its chain fits.
const maxValue = 32 << 10

// The kinds of secrets.
const (
	KindPassword   = "password"
	KindAPIKey     = "api_key"
	KindToken      = "token"
	KindConnection = "connection"
	KindPrivateKey = "private_key"
	KindOther      = "other"
)

var kinds = []string{KindPassword, KindAPIKey, KindToken, KindConnection, KindPrivateKey, KindOther}

// Where a value comes from.
const (
	FromProvisioning = "provisioned"
	FromOwner        = "owner"
	FromGenerator    = "generated"
)

// CheckName says whether s can be the name of a secret.
func CheckName(s string) error {
	if len(s) > 128 || !nameForm.MatchString(s) {
		return fmt.Errorf("%w: the name needs two words of letters or digits, as in ghost.admin_key", ErrInvalid)
	}
	return nil
}

// NameOf is the name of a service's key: agents and people write both in many ways.
func NameOf(service, key string) (string, error) {
	name := slug(service) + "." + slug(key)
	return name, CheckName(name)
}

// slug brings a word to the letters of names.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.':
			return r
		}
		return '-'
	}, strings.ToLower(strings.TrimSpace(s)))
	return strings.Trim(s, "-_.")
}

// Split gives service and key of a name.
func Split(name string) (service, key string) {
	service, key, _ = strings.Cut(name, ".")
	return service, key
}

// checkValue never says what the value is.
func checkValue(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("%w: the value is empty", ErrInvalid)
	case len(s) > maxValue:
		return fmt.Errorf("%w: the value is longer than %d bytes", ErrInvalid, maxValue)
	case !utf8.ValidString(s) || strings.ContainsRune(s, 0):
		return fmt.Errorf("%w: the value is not text", ErrInvalid)
	}
	return nil
}

// kindOf reads a kind; without one, the name says it.
func kindOf(kind, name string) (string, error) {
	if kind != "" {
		if !slices.Contains(kinds, kind) {
			return "", fmt.Errorf("%w: a kind is one of %s", ErrInvalid, strings.Join(kinds, ", "))
		}
		return kind, nil
	}
	for _, k := range []struct{ end, kind string }{
		{"password", KindPassword},
		{"passwd", KindPassword},
		{"pass", KindPassword},
		{"private_key", KindPrivateKey},
		{"key", KindAPIKey},
		{"token", KindToken},
		{"secret", KindToken},
		{"url", KindConnection},
		{"dsn", KindConnection},
		{"uri", KindConnection},
	} {
		if strings.HasSuffix(strings.ReplaceAll(name, "-", "_"), k.end) {
			return k.kind, nil
		}
	}
	return KindOther, nil
}
