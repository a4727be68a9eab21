package redact

import (
	"bytes"
	"html"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

var simpleEscapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', 'v': '\v', 'a': '\a', 'e': 0x1b}

// backslashed reads the escapes of JSON, C, shells and scripts.
func backslashed(dst, b []byte) ([]byte, int) {
	if len(b) < 2 || b[0] != '\\' {
		return dst, 0
	}
	switch c := b[1]; {
	case c == 'u' || c == 'U':
		return unicodeEscape(dst, b)
	case c == 'x' || c == 'X':
		if r, n := hexRun(b[2:], 2, 2); n > 0 {
			return append(dst, byte(r)), 2 + n
		}
		return bracedRune(dst, b)
	case c >= '0' && c <= '7':
		return octal(dst, b)
	case simpleEscapes[c] != 0:
		return append(dst, simpleEscapes[c]), 2
	case !isWord(c) || c == '_': // which Markdown and LaTeX escape
		return append(dst, c), 2
	}
	return dst, 0
}

func octal(dst, b []byte) ([]byte, int) {
	n, r := 1, 0
	for ; n < min(4, len(b)) && b[n] >= '0' && b[n] <= '7'; n++ {
		r = 8*r + int(b[n]-'0')
	}
	return append(dst, byte(r)), n
}

func unicodeEscape(dst, b []byte) ([]byte, int) {
	if b[1] == 'U' {
		if r, n := hexRun(b[2:], 8, 8); n > 0 && r <= utf8.MaxRune {
			return utf8.AppendRune(dst, rune(r)), 2 + n
		}
	}
	r, n := hexRun(b[2:], 4, 4)
	if n == 0 {
		return bracedRune(dst, b)
	}
	if utf16.IsSurrogate(rune(r)) && len(b) >= 12 && b[6] == '\\' && b[7]|0x20 == 'u' {
		if low, m := hexRun(b[8:], 4, 4); m > 0 {
			return utf8.AppendRune(dst, utf16.DecodeRune(rune(r), rune(low))), 12
		}
	}
	return utf8.AppendRune(dst, rune(r)), 2 + n
}

// bracedRune reads \u{…} and \x{…}.
func bracedRune(dst, b []byte) ([]byte, int) {
	if len(b) < 5 || b[2] != '{' {
		return dst, 0
	}
	r, n := hexRun(b[3:], 1, 6)
	if n == 0 || 3+n >= len(b) || b[3+n] != '}' || r > utf8.MaxRune {
		return dst, 0
	}
	return utf8.AppendRune(dst, rune(r)), 4 + n
}

// hexRun reads from low to high hexadecimal digits.
func hexRun(b []byte, low, high int) (v uint32, n int) {
	for n < min(high, len(b)) && isHex(b[n]) {
		v = v<<4 | uint32(hexValue(b[n]))
		n++
	}
	if n < low {
		return 0, 0
	}
	return v, n
}

// percented reads the escapes of URLs.
func percented(dst, b []byte) ([]byte, int) {
	if len(b) < 3 || b[0] != '%' {
		return dst, 0
	}
	if v, n := hexRun(b[1:], 2, 2); n > 0 {
		return append(dst, byte(v)), 3
	}
	if b[1]|0x20 == 'u' {
		if v, n := hexRun(b[2:], 4, 4); n > 0 {
			return utf8.AppendRune(dst, rune(v)), 6
		}
	}
	return dst, 0
}

// percentedOften reads percent signs that were escaped themselves, as often as they were.
func percentedOften(dst, b []byte) ([]byte, int) {
	at := 1
	for at+4 <= len(b) && b[at] == '2' && b[at+1] == '5' && isHex(b[at+2]) && isHex(b[at+3]) {
		at += 2
	}
	if at == 1 {
		return percented(dst, b)
	}
	v, n := hexRun(b[at:], 2, 2)
	return append(dst, byte(v)), at + n
}

// quotedPrintable reads the escapes of mail.
func quotedPrintable(dst, b []byte) ([]byte, int) {
	if len(b) < 3 || b[0] != '=' {
		return dst, 0
	}
	v, n := hexRun(b[1:], 2, 2)
	if n == 0 {
		return dst, 0
	}
	return append(dst, byte(v)), 3
}

const maxEntity = 34 // bytes of the longest name of a character in HTML

// entity reads a character reference of HTML.
func entity(dst, b []byte) ([]byte, int) {
	if len(b) < 3 || b[0] != '&' {
		return dst, 0
	}
	if b[1] == '#' {
		return numericEntity(dst, b)
	}
	end := 1
	for end < min(len(b), maxEntity)-1 && (isLetter(b[end]) || isDigit(b[end])) {
		end++
	}
	if end < 3 || b[end] != ';' || !isLetter(b[1]) {
		return dst, 0
	}
	name := string(b[:end+1])
	if s := html.UnescapeString(name); s != name {
		return append(dst, s...), end + 1
	}
	if low := string(bytes.ToLower(b[:end+1])); html.UnescapeString(low) != low {
		return append(dst, html.UnescapeString(low)...), end + 1
	}
	return dst, 0
}

func numericEntity(dst, b []byte) ([]byte, int) {
	n, base := 2, 10
	if b[2]|0x20 == 'x' {
		n, base = 3, 16
	}
	start := n
	for n < min(len(b), start+8) && isHex(b[n]) && (base == 16 || isDigit(b[n])) {
		n++
	}
	r, err := strconv.ParseUint(string(b[start:n]), base, 32)
	if err != nil || r > utf8.MaxRune {
		return dst, 0
	}
	if n < len(b) && b[n] == ';' {
		n++
	}
	return utf8.AppendRune(dst, rune(r)), n
}

// zeroOctals are the octal escapes of echo and printf, which have a zero before the digits.
var zeroOctals = escape{lead: '\\', next: anyNext, one: zeroOctal}

func zeroOctal(dst, b []byte) ([]byte, int) {
	if len(b) < 4 || b[1] != '0' {
		return backslashed(dst, b)
	}
	n, r := 2, 0
	for ; n < min(5, len(b)) && b[n] >= '0' && b[n] <= '7' && 8*r < 256; n++ {
		r = 8*r + int(b[n]-'0')
	}
	return append(dst, byte(r)), n
}

// pluses are the spaces of forms.
var pluses = escape{lead: '+', next: anyNext, one: plus}

// plus reads the spaces of forms.
func plus(dst, b []byte) ([]byte, int) {
	if b[0] != '+' {
		return dst, 0
	}
	return append(dst, ' '), 1
}
