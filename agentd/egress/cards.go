package egress

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

const (
	shortestCard = 12
	longestCard  = 19
)

// printed are the groups in which people write the number of a card.
var printed = [][]int{{4, 4, 4, 4}, {4, 4, 4, 1}, {4, 4, 4, 4, 3}, {4, 4, 4, 4, 1}, {4, 4, 4, 4, 2}, {8, 8}, {6, 10}, {4, 6, 4}, {4, 6, 5}, {4, 12}, {6, 4, 4, 2}}

// cards finds numbers of payment cards.
func cards(m *message, f *found) {
	for i, t := range m.tokens {
		if t.letters() == 0 && (m.cardAt(i) || m.cardInParts(i)) || t.letters() > 0 && t.digits >= shortestCard && m.cardAmid(t) {
			f.add(Card)
			return
		}
	}
}

// cardAt says whether the number of a card begins with a token.
func (m *message) cardAt(i int) bool {
	var number [longestCard]byte
	groups := make([]int, 0, longestCard)
	for n, j := 0, i; j < len(m.tokens) && m.tokens[j].letters() == 0; j++ {
		t := m.tokens[j]
		if n+t.size() > longestCard || j > i && !cardGap(m.text[m.tokens[j-1].to:t.from]) {
			break
		}
		n += copy(number[n:], m.text[t.from:t.to])
		groups = append(groups, t.size())
		if n >= shortestCard && luhn(string(number[:n])) && m.isCard(string(number[:n]), groups, m.tokens[i].from, t.to) {
			return true
		}
	}
	return false
}

// mostAmid is how many letters may stand between the digits of a card.
const mostAmid = 18

// cardAmid says whether the digits of a token are a card when what stands between them is taken out.
func (m *message) cardAmid(t token) bool {
	if t.digits > longestCard || t.letters() > mostAmid {
		return false
	}
	number := onlyDigits(m.text[t.from:t.to])
	return strong(number) && cardWord.MatchString(m.around(t.from, t.to)) && !m.inLink(t.from)
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// cardGap says whether signs between digits are some that people put between the groups of a card.
func cardGap(gap string) bool {
	if len(gap) == 1 {
		return gap[0] < utf8.RuneSelf
	}
	return len(gap) <= 6 && strings.Trim(gap, " .-_/,|·•*+~=:;#\"'\n\t") == ""
}

// inAccount is how an account number begins, whose groups can look like a card.
var inAccount = lazyre.MustCompile(`\b[A-Z]{2}\d{2} ?$`)

// isCard judges a number whose check digit holds by its issuer, its groups and the words around it.
func (m *message) isCard(number string, groups []int, from, to int) bool {
	issued, weak := issuedAs(number)
	if !issued || strings.Count(number, number[:1]) == len(number) || inAccount.MatchString(m.text[max(0, from-6):from]) {
		return false
	}
	if cardWord.MatchString(m.around(from, to)) && !voucher.MatchString(m.around(from, to)) {
		return !m.inLink(from) || cardWord.MatchString(m.lower[max(0, from-16):from])
	}
	usual := len(groups) == 1 || len(groups) == len(number) || len(groups) > 2 && evenly(groups)
	if weak || !usual || strings.Trim(m.text[from:to], "0123456789 .-_/") != "" || goesOn(m.text, from, to) || m.inLink(from) {
		return false // cards are not written so, unless a word says that it is one
	}
	return len(groups) > 1 || !m.ofThing(from)
}

// evenly says whether groups are those of a printed card, or all of one size.
func evenly(groups []int) bool {
	same := groups[0] > 2
	for _, n := range groups[:len(groups)-1] {
		same = same && n == groups[0]
	}
	return same && groups[len(groups)-1] <= groups[0] || slices.ContainsFunc(printed, func(p []int) bool { return slices.Equal(p, groups) })
}

// voucher is a card that pays nobody's bills.
var voucher = lazyre.MustCompile(`loyalty|gift ?card|membership|bonus ?card|library card|kundenkarte|geschenkkarte|gutschein|stamp card|sim card|report card|memory card|graphics card|points card`)

// widestJoint is how far apart the parts of a number may be told.
const widestJoint = 44

var (
	// joint is what people say between the parts of a number, plainly when it is said of nothing else.
	joint   = lazyre.MustCompile(`\b(?:and|then|followed by|continues?|plus|rest|other|second|last|next|ends?|part|und|dann|danach|gefolgt von|weiter mit|teil|et|puis|ensuite|suivi de|y|luego|después|seguido de|e|poi|seguito da|en|dan|i|potem|sen|och|og|sedan|derefter)\b`)
	plainly = lazyre.MustCompile(cardWord.String() + `|\b(?:in (?:two|three|four) parts|halves|first (?:half|two|four|six|eight|part)|(?:second|other) (?:half|part|four|eight)|last (?:four|part|eight)|in (?:zwei|drei) teilen|erste hälfte|en deux parties|en dos partes|in due parti)\b`)
)

// cardInParts says whether tokens with words between them are the number of a card that was told in parts.
func (m *message) cardInParts(i int) bool {
	if i+1 == len(m.tokens) || m.tokens[i+1].digits > 0 { // no word between
		return false
	}
	number, said := m.text[m.tokens[i].from:m.tokens[i].to], ""
	last := m.tokens[i].to
	for j := i + 1; j < len(m.tokens) && m.tokens[j].from-last <= widestJoint; j++ {
		t := m.tokens[j]
		if t.digits == 0 {
			continue
		}
		gap := m.lower[last:t.from]
		if t.letters() > 0 || len(number)+t.size() > longestCard || strings.Contains(gap, "\n") {
			return false
		}
		number, said, last = number+m.text[t.from:t.to], said+gap+"\n", t.to
		if strong(number) && told(said) && plainly.MatchString(m.around(m.tokens[i].from, t.to)+said) {
			return true
		}
	}
	return false
}

// told says whether each line joins two parts of a number.
func told(said string) bool {
	for gap := range strings.SplitSeq(strings.TrimSuffix(said, "\n"), "\n") {
		if !joint.MatchString(gap) {
			return false
		}
	}
	return true
}
