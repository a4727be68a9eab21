package egress

import (
	"html"
	"net/url"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

var inlineTag = lazyre.MustCompile(`(?i)</?(?:b|i|u|em|strong|span|font|wbr|small|tt|code)(?:\s[^<>]*)?>|<!--[\s\S]*?-->`)

// mirrorWords are words for numbers from their end, and words that say so.
const mirrorWords = `drac$|asiv$|etrak$|etrac$|atejrat$|nabi$|nss$|drowssap|trowssap|seripxe|trebmun|backward|reversed|in reverse|rückwärts|à l'envers|al revés|al contrario|achterstevoren|od tyłu|mirrored`

// numerals are the words for 0 to 9.
var numerals = [10][]string{
	{"zero", "null", "zéro", "cero", "nul", "nulla", "noll", "nolla", "ноль", "нуль"},
	{"one", "eins", "un", "uno", "een", "um", "jeden", "ett", "yksi", "один", "unu"},
	{"two", "zwei", "zwo", "deux", "dos", "due", "twee", "dois", "dwa", "två", "kaksi", "два", "doi"},
	{"three", "drei", "trois", "tres", "tre", "drie", "três", "trzy", "kolme", "три", "trei"},
	{"four", "vier", "quatre", "cuatro", "quattro", "quatro", "cztery", "fyra", "fire", "neljä", "четыре", "patru"},
	{"five", "fünf", "fuenf", "cinq", "cinco", "cinque", "vijf", "pięć", "fem", "viisi", "пять", "cinci"},
	{"six", "sechs", "seis", "sei", "zes", "sześć", "sex", "seks", "kuusi", "шесть", "șase"},
	{"seven", "sieben", "sept", "siete", "sette", "zeven", "sete", "siedem", "sju", "syv", "seitsemän", "семь", "șapte"},
	{"eight", "acht", "huit", "ocho", "otto", "oito", "osiem", "åtta", "otte", "kahdeksan", "восемь", "opt"},
	{"nine", "neun", "neuf", "nueve", "nove", "negen", "dziewięć", "nio", "yhdeksän", "девять", "nouă"},
}

// spelledFrom is the number from which on words for digits in a row are spelled out and no longer prose.
const spelledFrom = 8

// undressed drops the marks of a page that stand inside a number, and writes "(at)" and "[dot]" as they are meant.
func undressed(s string) string {
	if strings.Contains(s, "<") {
		s = inlineTag.ReplaceAllString(s, "")
	}
	if strings.Contains(s, "&") {
		s = html.UnescapeString(s)
	}
	return unbracketed(s)
}

// meantSigns are the words that stand in brackets for a sign of an address.
var meantSigns = map[string]string{"at": "@", "arroba": "@", "chiocciola": "@", "małpa": "@", "snabel-a": "@", "ät": "@", "dot": ".", "punkt": ".", "point": ".", "punto": ".", "kropka": ".", "ponto": ".", "piste": "."}

func unbracketed(s string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); i++ {
		if strings.IndexByte("[({<", s[i]) < 0 {
			continue
		}
		end := strings.IndexAny(s[i+1:min(len(s), i+16)], "])}>")
		if end < 0 {
			continue
		}
		sign := meantSigns[strings.ToLower(strings.TrimSpace(s[i+1:i+1+end]))]
		if sign == "" {
			continue
		}
		b.WriteString(strings.TrimSuffix(s[done:i], " ") + sign)
		done = i + end + 2
		done += len(s[done:]) - len(strings.TrimPrefix(s[done:], " "))
		i = done - 1
	}
	return b.String() + s[done:]
}

// disguised gives what a text says backwards, in words for digits and as a form sends it.
func disguised(m *message) (parts []string) {
	if len(m.about(mirrorTopic)) > 0 {
		r := []rune(m.text)
		slices.Reverse(r)
		parts = append(parts, string(r))
	}
	if strings.Contains(m.text, "%") {
		parts = append(parts, forms(m.text)...)
	}
	if len(m.about(turnedTopic)) > 0 {
		parts = append(parts, strings.Map(turned, m.text))
	}
	if len(m.about(partTopic)) > 1 {
		parts = append(parts, partLabel.ReplaceAllString(m.text, " "))
	}
	return slices.Concat(parts, m.spelled(), m.spread())
}

// turnedWords are words for numbers with each letter moved by half of the alphabet; partWords count the parts of one.
const (
	turnedWords = `pneq|vona|ffa$|cnffjbeq|nppbhag|fnynel|cngvrag|ahzore|xnegr|cnffcbeg|fgrhre|cerfry|crfry|obea$|fbpvny|onax`
	partWords   = `part |part:|teil |chunk|piece|block|segment|partie |parte |group |fragment|bit `
)

// partLabel is what counts the parts of a number, with the line before it.
var partLabel = lazyre.MustCompile(`(?i)[\s,;.]*\b(?:part|teil|chunk|piece|block|segment|partie|parte|group|fragment|bit)\s*(?:#|no\.?|nr\.?)?\s*\(?(?:\d{1,2}(?:\s*(?:/|of|von|de)\s*\d{1,2})?|[a-f]|one|two|three|four|eins|zwei|drei|vier)\)?\s*(?:is|ist|[:=)>-]+)\s*`)

func turned(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// spread joins signs that each stand alone: E S 1 5.
func (m *message) spread() (parts []string) {
	for i := 0; i < len(m.tokens); i++ {
		j := i + 1
		for j < len(m.tokens) && m.tokens[j].size() == 1 && m.tokens[j-1].size() == 1 && m.tokens[j].from-m.tokens[j-1].to <= longestGap {
			j++
		}
		if j-i < 2*spelledFrom {
			continue
		}
		var b strings.Builder
		for _, t := range m.tokens[i:j] {
			b.WriteString(m.text[t.from:t.to])
		}
		parts = append(parts, m.text[max(0, m.tokens[i].from-40):m.tokens[i].from]+b.String(), m.unlabelled(i, j))
		i = j - 1
	}
	return parts
}

// unlabelled joins the signs behind the name of a number that is spread as well: I b a n : D E 1 2.
func (m *message) unlabelled(i, j int) string {
	var label, b strings.Builder
	for ; i < j && !strings.Contains(m.text[m.tokens[i].to:min(len(m.text), m.tokens[i].to+longestGap)], ":"); i++ {
		label.WriteString(m.text[m.tokens[i].from:m.tokens[i].to])
	}
	for _, t := range m.tokens[min(i+1, j):j] {
		b.WriteString(m.text[t.from:t.to])
	}
	return label.String() + " " + b.String()
}

// spelled gives the numbers that are spelled in words, with what stands before them.
func (m *message) spelled() (parts []string) {
	all := m.about(numeralTopic)
	for i := 0; i < len(all); i++ {
		digits, j := figure(m.lower[all[i].from:all[i].to]), i+1
		for ; j < len(all); j++ {
			between := m.lower[all[j-1].to:all[j].from]
			if len(between) > 24 || strings.Trim(between, " ,;.:/|-\n0123456789ohuntm") != "" {
				break
			}
			digits += inside(between) + figure(m.lower[all[j].from:all[j].to])
		}
		rest := m.lower[all[j-1].to:min(len(m.lower), all[j-1].to+16)]
		digits += inside(rest[:len(rest)-len(strings.TrimLeft(rest, " ,;.:/|-0123456789"))])
		if len(digits) >= spelledFrom {
			parts = append(parts, m.text[max(0, all[i].from-40):all[i].from]+digits)
		}
		i = j - 1
	}
	return parts
}

// inside gives the digits between words for digits: as figures, or in words too short for the lexicon.
func inside(between string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(between, func(r rune) bool { return strings.ContainsRune(" ,;.:/|-\n", r) }) {
		b.WriteString(map[string]string{"oh": "0", "o": "0", "un": "1", "um": "1"}[word])
		b.WriteString(strings.Trim(word, "ohuntm"))
	}
	return b.String()
}

// forms gives the fields that are written as a form sends them.
func forms(s string) (parts []string) {
	for field := range strings.FieldsSeq(s) {
		if !strings.Contains(field, "%") || strings.Contains(field, "://") {
			continue
		}
		if plain, err := url.PathUnescape(field); err == nil && plain != field {
			parts = append(parts, plain)
		}
	}
	return parts
}

// figure is the digit that a word names.
func figure(word string) string {
	for n, all := range numerals {
		if slices.Contains(all, word) {
			return string(rune('0' + n))
		}
	}
	return word
}
