package credential

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

var (
	// technical is a name as the vault takes it: parts of small letters and digits, with dots between.
	technical = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)+$`)
	nameWord  = regexp.MustCompile(`[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?`)
	kindForm  = regexp.MustCompile(`^[a-z]+(?:_[a-z]+)*$`)

	// spelled are letters that people write out, and signs that stand within a word.
	spelled = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "ø", "oe", "œ", "oe", "ł", "l", "'", "", "’", "")
)

// longestPart is the most characters of one part of a name.
const longestPart = 64

// NameOf is the technical name of what a person names in words: "Ghost admin key" is ghost.admin_key. The first word is the
// service, the others are what it is; of one word alone the kind says that: "WiFi", a password, is wifi.password. A
// technical name stays as it is, and so do words without a letter that names have, for the vault to refuse.
// static/js/secretname.js does the same in the browser, which seals a value to its name.
func NameOf(words, kind string) string {
	words = strings.TrimSpace(words)
	plain := strings.ToLower(words)
	if technical.MatchString(plain) {
		return plain
	}
	parts := nameWord.FindAllString(latin(plain), -1)
	switch len(parts) {
	case 0:
		return words
	case 1:
		if !kindForm.MatchString(kind) {
			kind = "password"
		}
		parts = append(parts, kind)
	}
	return cut(parts[0]) + "." + cut(strings.Join(parts[1:], "_"))
}

// latin spells letters with marks by those that names have.
func latin(s string) string {
	bare := transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.M)))
	out, _, err := transform.String(bare, spelled.Replace(norm.NFC.String(s)))
	if err != nil {
		return ""
	}
	return strings.ToLower(out) // "№" has become "No"
}

func cut(part string) string {
	if len(part) > longestPart {
		part = part[:longestPart]
	}
	return strings.TrimRight(part, "_-")
}
