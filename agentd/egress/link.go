package egress

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

var (
	lookUp     = lazyre.MustCompile(`(?i)\b[a-z2-7-]{0,10}(?:[0-9a-f]{24,63}|[a-z2-7]{28,63})\.(?:[a-z0-9-]{1,63}\.)+[a-z]{2,12}\b`)
	opaqueForm = lazyre.MustCompile(`[A-Za-z0-9+/_-]{16,}={0,2}`)
)

// wordsInLink is how many words of a value in a link are a text and no longer a search.
const wordsInLink = 9

// links finds links that carry data: encoded text in the path or query, or whole sentences.
func links(m *message, f *found) {
	for at, n := 0, 0; n < mostLinks; n++ {
		i := strings.Index(m.text[at:], "//")
		if i < 0 {
			break
		}
		at += i
		link, image := m.linkAt(at)
		if len(link) > 6 && carries(strings.TrimRight(link, ".,;"), image) {
			f.add(DataLink)
		}
		at += 2
	}
	for _, t := range m.tokens {
		if t.size() < shortestLabel || t.to >= len(m.text) || m.text[t.to] != '.' && m.text[t.to] != '-' {
			continue
		}
		if name := lookUp.FindString(m.text[max(0, t.from-12):min(len(m.text), t.to+200)]); name != "" && coded(strings.Split(name, ".")[0]) {
			f.add(DataLink)
		}
	}
}

// shortestLabel is how long a name of a host is that carries data.
const shortestLabel = 20

// mostLinks is how many links are looked at.
const mostLinks = 200

// longestLink is how much of a link is looked at.
const longestLink = 1000

// linkAt gives the link whose // stands at a place, and whether a picture is fetched from it.
func (m *message) linkAt(at int) (link string, image bool) {
	from := at
	if from > 0 && m.text[from-1] == ':' {
		for from--; from > 0 && alphanumeric[m.text[from-1]]; from-- {
		}
	}
	end := at + min(len(m.text)-at, longestLink)
	if n := strings.IndexAny(m.text[at:end], " \t\n\"'<>)]`"); n >= 0 {
		end = at + n
	}
	head := strings.TrimRight(m.lower[max(0, from-220):from], " \"'")
	return m.text[from:end], strings.HasSuffix(head, "](") && strings.Contains(head, "![") || pictured.MatchString(head)
}

var pictured = lazyre.MustCompile(`<img[^>]*src\s*=$|\burl\($|\bbackground\s*=$`)

// personal are names of parameters that hold what a person is.
var personal = lazyre.MustCompile(`^(?:first_?name|last_?name|full_?name|name|first|last|surname|vorname|nachname|nom|prenom|nombre|dob|birth(?:date|day)?|geb|ssn|iban|card|pan|cc|tel|phone|mobile|mail|email|addr(?:ess)?|street|strasse|zip|salary|diagnosis|account|acct|kunde|customer|patient|passport|tax_?id|balance|password|pwd|user(?:name)?)$`)

func carries(link string, image bool) bool {
	if strings.Contains(link, "$(") { // filled in by a shell
		return true
	}
	u, err := url.Parse(link)
	if err != nil {
		return len(link) > 400
	}
	for _, part := range strings.FieldsFunc(u.EscapedPath()+"/"+u.Fragment, func(r rune) bool { return r == '/' || r == '=' || r == '&' }) {
		if coded(part) || image && opaque(part) {
			return true
		}
		if plain, err := url.PathUnescape(part); err == nil && wordy(plain, image) {
			return true
		}
	}
	if split(u) {
		return true
	}
	about := 0
	for key, values := range u.Query() {
		if personal.MatchString(strings.ToLower(key)) && len(strings.Join(values, "")) > 1 {
			about++
		}
		for _, v := range append(values, key) {
			if coded(v) || prose(v, image) || image && opaque(v) {
				return true
			}
		}
	}
	return about >= 3 || image && about >= 2
}

// split says whether text in an encoding is cut into the labels of a host or the steps of a path.
func split(u *url.URL) bool {
	labels := strings.Split(u.Hostname(), ".")
	if n := len(labels); n > 3 && coded(strings.Join(labels[:n-2], "")) {
		return true
	}
	steps := strings.Trim(u.Path, "/")
	return strings.Count(steps, "/") > 1 && coded(strings.ReplaceAll(steps, "/", ""))
}

// prose says whether a value is text rather than a word to look up; a picture needs no words at all.
func prose(v string, image bool) bool {
	return wordy(v, image) || strings.Contains(v, "@") && mailForm.MatchString(v) && (image || wordsOf(v) > 2)
}

func wordy(v string, image bool) bool {
	n := wordsOf(v)
	return n >= wordsInLink || image && n >= 3
}

func wordsOf(v string) int {
	return len(strings.FieldsFunc(v, func(r rune) bool { return unicode.IsSpace(r) || r == '+' || r == ',' || r == ';' }))
}

// opaque says whether a value of a picture's link is long and unreadable: a picture is fetched without a click, and its
// name needs no such length.
func opaque(v string) bool { return len(v) >= 160 && len(opaqueForm.FindString(v)) >= 160 && mixed(v) }

// coded says whether a value is readable text in base64, base32 or hex.
func coded(v string) bool {
	if u, err := url.QueryUnescape(v); err == nil && strings.Count(v, "%") > 0 {
		v = u
	}
	for _, t := range opaqueForm.FindAllString(v, 20) {
		for _, b := range decodings(strings.TrimRight(t, "=")) {
			if reads(b) {
				return true
			}
		}
	}
	return false
}

func decodings(t string) (all [][]byte) {
	std := strings.NewReplacer("-", "+", "_", "/").Replace(t)
	if b, err := base64.RawStdEncoding.DecodeString(std); err == nil {
		all = append(all, b)
	}
	if b, err := hex.DecodeString(t); err == nil {
		all = append(all, b)
	}
	if b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(t)); err == nil {
		all = append(all, b)
	}
	return all
}

// reads says whether bytes are text of some length. A token decodes to noise.
func reads(b []byte) bool {
	if len(b) < 10 || !utf8.Valid(b) {
		return false
	}
	good, small, joints := 0, 0, 0
	for _, r := range string(b) {
		if r != '\n' && r != '\t' && r != '\r' && !unicode.IsPrint(r) {
			return false
		}
		joint := strings.ContainsRune(" .,:@_-\"{}=;/|\n", r)
		good += b2i(unicode.IsLetter(r) || unicode.IsDigit(r) || joint)
		small += b2i(unicode.IsLower(r))
		joints += b2i(joint)
	}
	n := utf8.RuneCount(b)
	return good*10 >= n*9 && (joints > 0 || small*10 >= n*7) // letters and digits in any order are a token of tokens
}
