package egress

import (
	"unicode"
	"unicode/utf8"
)

// token is a run of letters and digits of ASCII. Numbers of every script are ASCII by the time a text is cut.
type token struct {
	from, to int
	digits   int
	glued    bool // a letter of an alphabet stands right beside it: it is the end of a longer word
}

func (t token) size() int { return t.to - t.from }

func (t token) letters() int { return t.size() - t.digits }

// cut gives the tokens of a text.
func cut(s string) []token {
	all := make([]token, 0, len(s)/6+1)
	for i := 0; i < len(s); {
		if !alphanumeric[s[i]] {
			i++
			continue
		}
		t := token{from: i}
		for ; i < len(s) && alphanumeric[s[i]]; i++ {
			if s[i] <= '9' {
				t.digits++
			}
		}
		t.to, t.glued = i, letterBefore(s, t.from) || letterAt(s, i)
		all = append(all, t)
	}
	return all
}

var alphanumeric = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	return is
}()

func letterBefore(s string, at int) bool {
	if at == 0 || s[at-1] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(s[:at])
	return alphabetic(r)
}

func letterAt(s string, at int) bool {
	if at >= len(s) || s[at] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[at:])
	return alphabetic(r)
}

// alphabetic says whether letters of the rune's script join to words. Where they do not, a number follows a word
// without a blank.
func alphabetic(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// lowered is s in lower case, with every letter at its place: a letter that would change its length stays.
func lowered(s string) string {
	b := []byte(s)
	for i := 0; i < len(b); {
		if c := b[i]; c < utf8.RuneSelf {
			if c >= 'A' && c <= 'Z' {
				b[i] = c + 'a' - 'A'
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if l := unicode.ToLower(r); l != r && r != utf8.RuneError && utf8.RuneLen(l) == n {
			utf8.EncodeRune(b[i:], l)
		}
		i += n
	}
	return string(b)
}
