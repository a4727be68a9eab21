package jsontree

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// number takes one as it stands: its value may be beyond what Go's types hold, and is not ours to round.
func (p *parser) number() (*Value, error) {
	from := p.at
	if p.peek() == '-' {
		p.at++
	}
	switch c := p.peek(); {
	case c == '0':
		p.at++
	case c >= '1' && c <= '9':
		p.digits()
	default:
		return nil, p.fail("no digit")
	}
	if p.peek() == '.' {
		p.at++
		if p.digits() == 0 {
			return nil, p.fail("no digit")
		}
	}
	if err := p.exponent(); err != nil {
		return nil, err
	}
	v := p.make(Number)
	v.Text = p.in[from:p.at]
	return v, nil
}

func (p *parser) exponent() error {
	if p.peek() != 'e' && p.peek() != 'E' {
		return nil
	}
	p.at++
	if p.peek() == '+' || p.peek() == '-' {
		p.at++
	}
	if p.digits() == 0 {
		return p.fail("no digit")
	}
	return nil
}

func (p *parser) digits() (n int) {
	for ; p.peek() >= '0' && p.peek() <= '9'; n++ {
		p.at++
	}
	return n
}

// text takes a string. Without escapes it is a piece of the input.
func (p *parser) text() (string, error) {
	p.at++
	end := plain(p.in[p.at:])
	if end < len(p.in)-p.at && p.in[p.at+end] == '"' {
		s := p.in[p.at : p.at+end]
		p.at += end + 1
		return s, nil
	}
	var b strings.Builder
	b.Grow(2 * end)
	for {
		end := plain(p.in[p.at:])
		b.WriteString(p.in[p.at : p.at+end])
		p.at += end
		switch p.peek() {
		case '"':
			p.at++
			return b.String(), nil
		case '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			return "", p.fail("a string that is open, or a control character in it")
		}
	}
}

// plain is how many bytes of s stand for themselves in a string.
func plain(s string) int {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			return i
		}
	}
	return len(s)
}

// short maps the letter of an escape to what it means.
var short = [128]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) escape(b *strings.Builder) error {
	p.at++
	c := p.peek()
	p.at++
	if c == 'u' {
		return p.unicode(b)
	}
	if c >= 128 || short[c] == 0 {
		return p.fail("an unknown escape")
	}
	b.WriteByte(short[c])
	return nil
}

func (p *parser) unicode(b *strings.Builder) error {
	r, err := p.hex()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		if !strings.HasPrefix(p.in[p.at:], `\u`) {
			return p.fail("half a surrogate pair")
		}
		p.at += 2
		low, err := p.hex()
		if err != nil {
			return err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return p.fail("half a surrogate pair")
		}
	}
	b.WriteRune(r)
	return nil
}

func (p *parser) hex() (rune, error) {
	if len(p.in)-p.at < 4 {
		return 0, p.fail("a short escape")
	}
	n, err := strconv.ParseUint(p.in[p.at:p.at+4], 16, 16)
	if err != nil {
		return 0, p.fail("an escape that is no number")
	}
	p.at += 4
	return rune(n), nil
}
