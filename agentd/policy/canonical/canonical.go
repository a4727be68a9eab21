package canonical

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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

// member is one pair of an object, and where it stands in what was written.
type member struct {
	key      string
	from, to int
}

// object writes the members as they come. Most programs write them in order: only when they did not are they moved.
func (p *parser) object(out *bytes.Buffer, depth int) error {
	p.at++
	out.WriteByte('{')
	p.space()
	var some [8]member
	all, start := some[:0], out.Len()
	for p.peek() != '}' {
		if len(all) > 0 {
			if p.peek() != ',' {
				return p.fail("no comma in object")
			}
			p.at++
			out.WriteByte(',')
			p.space()
		}
		m, err := p.member(out, depth)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	p.at++
	if !slices.IsSortedFunc(all, inOrder) {
		slices.SortFunc(all, inOrder)
		move(out, start, all)
	}
	for i := 1; i < len(all); i++ {
		if all[i-1].key == all[i].key {
			return p.fail("the same key twice")
		}
	}
	out.WriteByte('}')
	return nil
}

func (p *parser) member(out *bytes.Buffer, depth int) (member, error) {
	if p.peek() != '"' {
		return member{}, p.fail("no key")
	}
	m := member{from: out.Len()}
	var err error
	if m.key, err = p.text(); err != nil {
		return member{}, err
	}
	p.space()
	if p.peek() != ':' {
		return member{}, p.fail("no colon")
	}
	p.at++
	p.space()
	quote(out, m.key)
	out.WriteByte(':')
	if err := p.value(out, depth+1); err != nil {
		return member{}, err
	}
	p.space()
	m.to = out.Len()
	return m, nil
}

// inOrder compares keys as RFC 8785 sorts them: by UTF-16 code units. Where both are ASCII these are the bytes.
func inOrder(a, b member) int {
	if ascii(a.key) && ascii(b.key) {
		return strings.Compare(a.key, b.key)
	}
	return slices.Compare(utf16.Encode([]rune(a.key)), utf16.Encode([]rune(b.key)))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// move writes the members that begin at start anew, in the order of all.
func move(out *bytes.Buffer, start int, all []member) {
	was := bytes.Clone(out.Bytes()[start:])
	out.Truncate(start)
	for i, m := range all {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(was[m.from-start : m.to-start])
	}
}
