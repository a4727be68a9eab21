package canonical

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
)

// ErrRefused says that the text is not JSON, or could be read in two ways.
var ErrRefused = errors.New("not acceptable as JSON")

// maxDepth bounds nesting, so that hostile input cannot exhaust the stack.
const maxDepth = 128

// JSON gives the canonical form of text.
func JSON(text []byte) ([]byte, error) {
	p := &parser{in: text}
	out := bytes.NewBuffer(make([]byte, 0, len(text)))
	p.space()
	if err := p.value(out, 0); err != nil {
		return nil, err
	}
	p.space()
	if p.at < len(p.in) {
		return nil, p.fail("something follows the value")
	}
	return out.Bytes(), nil
}

// Of gives the canonical form of a Go value.
func Of(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("canonical: %w", err)
	}
	return JSON(text)
}

// Hash is the hex SHA-256 of the canonical form of text.
func Hash(text []byte) (string, error) {
	c, err := JSON(text)
	if err != nil {
		return "", err
	}
	return Sum(c), nil
}

// Sum is the hex SHA-256 of bytes that are canonical already.
func Sum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// parser walks the text once and writes the canonical form as it goes.
type parser struct {
	in []byte
	at int
}

func (p *parser) fail(why string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrRefused, why, p.at)
}

func (p *parser) space() {
	for p.at < len(p.in) {
		switch p.in[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.at < len(p.in) {
		return p.in[p.at]
	}
	return 0
}

func (p *parser) value(out *bytes.Buffer, depth int) error {
	if depth > maxDepth {
		return p.fail("nested too deep")
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(out, depth)
	case c == '[':
		return p.array(out, depth)
	case c == '"':
		s, err := p.text()
		if err == nil {
			quote(out, s)
		}
		return err
	case c == '-' || c >= '0' && c <= '9':
		return p.number(out)
	}
	return p.word(out)
}

func (p *parser) word(out *bytes.Buffer) error {
	for _, w := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(p.in[p.at:], []byte(w)) {
			p.at += len(w)
			out.WriteString(w)
			return nil
		}
	}
	return p.fail("no value")
}

func (p *parser) array(out *bytes.Buffer, depth int) error {
	p.at++
	out.WriteByte('[')
	p.space()
	for n := 0; p.peek() != ']'; n++ {
		if n > 0 {
			if p.peek() != ',' {
				return p.fail("no comma in array")
			}
			p.at++
			out.WriteByte(',')
			p.space()
		}
		if err := p.value(out, depth+1); err != nil {
			return err
		}
		p.space()
	}
	p.at++
	out.WriteByte(']')
	return nil
}

// member is one pair of an object, its value canonical already.
type member struct {
	key   string
	order []uint16 // RFC 8785 sorts by UTF-16 code units
	value []byte
}

func (p *parser) object(out *bytes.Buffer, depth int) error {
	p.at++
	p.space()
	var all []member
	for n := 0; p.peek() != '}'; n++ {
		if n > 0 {
			if p.peek() != ',' {
				return p.fail("no comma in object")
			}
			p.at++
			p.space()
		}
		m, err := p.member(depth)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	p.at++
	slices.SortFunc(all, func(a, b member) int { return slices.Compare(a.order, b.order) })
	return p.join(out, all)
}

func (p *parser) member(depth int) (member, error) {
	if p.peek() != '"' {
		return member{}, p.fail("no key")
	}
	key, err := p.text()
	if err != nil {
		return member{}, err
	}
	p.space()
	if p.peek() != ':' {
		return member{}, p.fail("no colon")
	}
	p.at++
	p.space()
	var value bytes.Buffer
	if err := p.value(&value, depth+1); err != nil {
		return member{}, err
	}
	p.space()
	return member{key: key, order: utf16.Encode([]rune(key)), value: value.Bytes()}, nil
}

func (p *parser) join(out *bytes.Buffer, all []member) error {
	out.WriteByte('{')
	for i, m := range all {
		if i > 0 {
			if all[i-1].key == m.key {
				return p.fail("the same key twice")
			}
			out.WriteByte(',')
		}
		quote(out, m.key)
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return nil
}
