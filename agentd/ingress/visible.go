package ingress

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible spells out every rune that shows nothing or moves what is shown. Runs of one rune become one note, for
// newsletters pad their preview line with hundreds.
func visible(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD")
	var b strings.Builder
	var before rune
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		after, _ := utf8.DecodeRuneInString(s[i+n:])
		if !invisible(r) || emojiPart(before, r, after) {
			b.WriteRune(r)
			before, i = r, i+n
			continue
		}
		times := length(s[i:], r)
		note(&b, r, times)
		before, i = r, i+n*times
	}
	return b.String()
}

// length counts how often r stands at the start of s.
func length(s string, r rune) (n int) {
	for _, c := range s {
		if c != r {
			return n
		}
		n++
	}
	return n
}

func note(b *strings.Builder, r rune, times int) {
	if times == 1 {
		fmt.Fprintf(b, "‹U+%04X›", r)
		return
	}
	fmt.Fprintf(b, "‹U+%04X ×%d›", r, times)
}

// invisible says whether a rune shows nothing by itself, or reorders its neighbours.
func invisible(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7F:
		return false
	case r == '\n', r == '\t', r == 0xA0:
		return false
	case blank(r):
		return true
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector)
}

// blank names the runes that are letters or marks by category and yet empty.
func blank(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0:
		return true
	}
	return r >= 0xE0000 && r <= 0xE0FFF // tags and what is reserved beside them
}

// emojiPart says whether r only picks or joins a picture: its selector, or the joiner between two.
func emojiPart(before, r, after rune) bool {
	switch r {
	case 0xFE0F, 0xFE0E:
		return picture(before) || unicode.IsDigit(before) || before == '#' || before == '*'
	case 0x200D:
		return (picture(before) || before == 0xFE0F) && picture(after)
	}
	return false
}

func picture(r rune) bool { return unicode.In(r, unicode.So, unicode.Sk) && r > 0x2000 }
