package egress

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

// From how many rows on a table of people is a dump.
const (
	rowsOfContacts  = 4
	rowsOfSensitive = 2
	rowsInBulk      = 20 // with one personal column
)

var (
	vcard     = lazyre.MustCompile(`(?im)^begin:vcard`)
	entry     = lazyre.MustCompile(`(?im)^dn:\s*(?:uid|cn)=`)
	shadow    = lazyre.MustCompile(`(?m)^[a-z_][\w-]{0,31}:(?:x|\*|!|\$[0-9a-z]+\$[^:]+):\d+:`)
	xmlPerson = lazyre.MustCompile(`(?i)<(customer|client|person|user|contact|employee|member|patient|kunde|guest|tenant|student|pupil|subscriber|account|cliente|klient|mitarbeiter|teilnehmer|record|row)\b[^>]*>[\s\S]{10,1000}?</`)
)

// dumps finds texts that are data about people and not messages.
func dumps(m *message, f *found) {
	if m.table() || m.objects() || m.statements() || m.cards() || m.pairs() >= rowsOfContacts+1 {
		f.add(Dump)
	}
}

// times says whether an expression matches so often, in a text that holds what each match holds.
func (m *message) times(n int, mark string, re *lazyre.Regexp) bool {
	return strings.Count(m.lower, mark) >= n && len(re.FindAllString(m.text, n)) >= n
}

// cards finds people as address books, directories, systems and XML list them.
func (m *message) cards() bool {
	return m.times(3, "begin:vcard", vcard) || m.times(2, "dn:", entry) || m.times(3, ":/", shadow) || m.times(3, "$", shadow) || m.times(3, "</", xmlPerson)
}

// pairs counts lines that hold a name and an address or number of a person, as a list without a head has them.
var pair = lazyre.MustCompile(`(?m)^[\s\-*\d.)]*["']?\p{Lu}[\pL'-]+[ ,]+(?:[\pL'.-]+[ ,]*){1,3}["']?[\s,;:|–<(-]{1,4}.{0,60}?(?:[\w.+-]+@[\w-]+\.[\w.]+|\+?\d[\d ()/.-]{6,16}\d)`)

// dated is a day, which has as many digits as a number.
var dated = lazyre.MustCompile(`\b(?:(?:19|20)\d\d[-./]\d\d?[-./]\d\d?|\d\d?[./]\d\d?[./](?:19|20)?\d\d)\b`)

func (m *message) pairs() (n int) {
	for line := range strings.SplitSeq(m.text, "\n") {
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, " \t-*0123456789.)\"'"))
		if unicode.IsUpper(first) && (strings.Contains(line, "@") || manyDigits(line)) && pair.MatchString(dated.ReplaceAllString(line, "")) {
			n++
		}
	}
	return n
}

// manyDigits says whether a line can hold a phone number.
func manyDigits(line string) bool {
	n := 0
	for i := range len(line) {
		n += b2i(line[i] >= '0' && line[i] <= '9')
	}
	return n >= 7
}
