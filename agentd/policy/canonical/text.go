package canonical

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string literal. Unlike encoding/json it refuses what has no meaning instead of replacing it.
func (p *parser) text() (string, error) {
	p.at++
	if s, ok := p.plain(); ok {
		return s, nil
	}
	var b strings.Builder
	for p.at < len(p.in) {
		switch c := p.in[p.at]; {
		case c == '"':
			p.at++
			return b.String(), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		case c < 0x20:
			return "", p.fail("control character in a string")
		default:
			r, size := utf8.DecodeRune(p.in[p.at:])
			if r == utf8.RuneError && size == 1 {
				return "", p.fail("invalid UTF-8")
			}
			b.Write(p.in[p.at : p.at+size])
			p.at += size
		}
	}
	return "", p.fail("string without end")
}

// plain reads the rest of a literal that stands for itself, as most do: ASCII without escapes.
func (p *parser) plain() (string, bool) {
	for i := p.at; i < len(p.in); i++ {
		switch c := p.in[i]; {
		case c == '"':
			s := string(p.in[p.at:i])
			p.at = i + 1
			return s, true
		case c == '\\' || c < 0x20 || c >= utf8.RuneSelf:
			return "", false
		}
	}
	return "", false
}

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) escape() (rune, error) {
	p.at++
	if r, ok := escapes[p.peek()]; ok {
		p.at++
		return r, nil
	}
	r, err := p.hex()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if p.peek() != '\\' {
		return 0, p.fail("half of a surrogate pair")
	}
	p.at++
	low, err := p.hex()
	if err != nil {
		return 0, err
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, p.fail("half of a surrogate pair")
	}
	return r, nil
}

// hex reads the uXXXX of an escape.
func (p *parser) hex() (rune, error) {
	if p.peek() != 'u' || p.at+5 > len(p.in) {
		return 0, p.fail("unknown escape")
	}
	v, err := strconv.ParseUint(string(p.in[p.at+1:p.at+5]), 16, 16)
	if err != nil {
		return 0, p.fail("unknown escape")
	}
	p.at += 5
	return rune(v), nil
}

const hexDigits = "0123456789abcdef"

// quote writes s with the fewest escapes, as RFC 8785 asks.
func quote(out *bytes.Buffer, s string) {
	out.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case '\b':
			out.WriteString(`\b`)
		case '\f':
			out.WriteString(`\f`)
		case '\n':
			out.WriteString(`\n`)
		case '\r':
			out.WriteString(`\r`)
		case '\t':
			out.WriteString(`\t`)
		default:
			if c < 0x20 {
				out.WriteString(`\u00`)
				out.WriteByte(hexDigits[c>>4])
				out.WriteByte(hexDigits[c&0xf])
				continue
			}
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
}
