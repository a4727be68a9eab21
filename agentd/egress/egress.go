package egress

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/ingress"
	"gatehouse/agentd/redact"

	"golang.org/x/text/unicode/norm"
)

// Decision is what may happen with outgoing content, from mild to strict.
type Decision string

// The decisions.
const (
	Allow    Decision = "allow"
	Escalate Decision = "escalate" // a person decides
	Block    Decision = "block"
)

// Outgoing is content that is about to leave.
type Outgoing struct {
	Channel   string   // mail, http, a messenger
	Recipient string   // an address, a host or a URL
	Known     []string // recipients that the owner named or wrote to; empty when nobody keeps such a list. "@host" is everyone there
	Text      string   // all of it: subject, body, attachments as text
}

// Finding is one reason to look twice.
type Finding struct {
	Kind Kind `json:"kind"`
}

// Verdict is what Scan decides.
type Verdict struct {
	Decision Decision
	Findings []Finding // each kind once
	Reasons  []string  // one sentence for each finding, without the content that was found
}

// Secrets finds secrets in a text. A redact.Engine does.
type Secrets interface {
	Scan(text string) (string, []redact.Finding)
}

// Scanner judges outgoing content.
type Scanner struct {
	Secrets Secrets  // required
	Volume  *Counter // nil when nobody counts
}

// largest is how much text is read. Of a longer one it is the beginning and the end, and a person decides about the rest.
const largest = 256 << 10

// Scan judges o.
func (s Scanner) Scan(o Outgoing) Verdict {
	f := found{people: map[string]bool{}}
	m := read(ends(o.Text))
	s.secrets(o, m, &f)
	for _, look := range []func(*message, *found){cards, accounts, identities, documents, births, healths, pays, lists, dumps, blobs, links, configs} {
		look(m, &f)
	}
	f.recipient(o)
	if ingress.Smuggled(o.Text) {
		f.add(HiddenText)
	}
	if len(o.Text) > largest || s.Volume != nil && s.Volume.Unusual(o.Recipient) {
		f.add(Volume)
	}
	return f.verdict()
}

// ends is as much of a text as is read.
func ends(text string) string {
	if len(text) <= largest {
		return text
	}
	return text[:largest/2] + "\n" + text[len(text)-largest/2:]
}

// secrets asks for secrets in the text, in what it says in encodings, and in who and where it goes to.
func (s Scanner) secrets(o Outgoing, m *message, f *found) {
	if s.Secrets == nil { // nobody looked: nothing may leave
		f.add(Secret)
		return
	}
	for _, t := range []string{o.Text, o.Recipient, m.decoded} {
		_, all := s.Secrets.Scan(t)
		if slices.ContainsFunc(all, func(x redact.Finding) bool { return !spent(t, x) }) {
			f.add(Secret)
		}
	}
}

// message is a text made ready for looking.
type message struct {
	text    string // plain forms of letters and digits, nothing invisible
	lower   string // the same in lower case, every letter at its place
	decoded string // the part of text that was not there in plain
	tokens  []token
	hits    []hit // words of the lexicon, in order
}

// read brings a text to a plain form, and adds what it says in encodings.
func read(text string) *message {
	shown := plain(undressed(text))
	var b strings.Builder
	b.WriteString(shown)
	first := newMessage(shown)
	for _, d := range slices.Concat(ingress.Decoded(text), disguised(first)) {
		if b.Len() < 4*largest {
			b.WriteString("\n\n" + plain(d))
		}
	}
	if b.Len() == len(shown) {
		return first
	}
	m := newMessage(b.String())
	m.decoded = m.text[len(shown):]
	return m
}

func newMessage(text string) *message {
	m := &message{text: text, lower: lowered(text), tokens: cut(text)}
	m.hits = words().in(m.lower, m.text)
	if more := compounds(m.lower); len(more) > 0 {
		m.hits = append(m.hits, more...)
		slices.SortStableFunc(m.hits, func(a, b hit) int { return a.from - b.from })
	}
	return m
}

// plain drops what is invisible and writes digits of every script as 0 to 9.
func plain(s string) string {
	if isPlain(s) {
		return s
	}
	return strings.Map(plainRune, norm.NFKC.String(s))
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func plainRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f || r > 0xbf && r < 0x300: // nearly every letter
		return r
	case unicode.Is(unicode.Nd, r):
		return digitOf(r)
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Me) || unicode.IsControl(r) || r >= 0x300 && r < 0x370: // drawn over others
		return -1
	case r >= 0x2776 && r < 0x277f: // a digit in a black circle
		return '1' + r - 0x2776
	case unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.Is(unicode.Pd, r) || r == 0x2212:
		return '-'
	}
	return r
}

// digitOf is the plain form of a decimal digit: in Unicode ten stand in a row, from 0 to 9.
func digitOf(r rune) rune {
	if r < 0x80 {
		return r
	}
	n := rune(0)
	for unicode.Is(unicode.Nd, r-n-1) && n < 9 {
		n++
	}
	return '0' + n%10
}

// found collects kinds.
type found struct {
	kinds    []Kind
	people   map[string]bool // different numbers that each name a person
	accounts int             // different accounts
}

func (f *found) add(k Kind) {
	if !slices.Contains(f.kinds, k) {
		f.kinds = append(f.kinds, k)
	}
}

// has says whether one of kinds was found.
func (f *found) has(kinds ...Kind) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool { return slices.Contains(f.kinds, k) })
}
