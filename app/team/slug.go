package team

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// maxID is how long the id of an agent is at most.
const maxID = 40

var (
	spelled = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "ø", "o", "ł", "l", "&", " and ")
	idWord  = regexp.MustCompile(`[a-z0-9]+`)
)

// IDOf is the id that an agent of this name gets unless its owner names another: "Gärtner für Büros" is gaertner-fuer-bueros. It is
// empty when the name has no letter or digit that ids can have; the server says then what is missing.
func IDOf(name string) string {
	bare := transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.M)))
	plain, _, err := transform.String(bare, spelled.Replace(norm.NFC.String(strings.ToLower(name))))
	if err != nil {
		return ""
	}
	id := strings.Join(idWord.FindAllString(plain, -1), "-")
	if id != "" && (id[0] < 'a' || id[0] > 'z') {
		id = "agent-" + id
	}
	if len(id) == 1 {
		id = "agent-" + id
	}
	return strings.TrimRight(id[:min(len(id), maxID)], "-")
}
