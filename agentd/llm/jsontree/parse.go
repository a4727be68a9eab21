package jsontree

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrRefused says that the text is not JSON, or could be read in two ways.
var ErrRefused = errors.New("not acceptable as JSON")

// maxDepth bounds nesting, so that hostile input cannot exhaust the stack.
const maxDepth = 128

// manyKeys is where looking for a repeated key among the others becomes slower than a map.
const manyKeys = 16

// fewMembers is what most objects have at most.
const fewMembers = 4

// Parse reads exactly one value in valid UTF-8. It refuses a key that comes twice in one object, half a surrogate
// pair, nesting beyond 128 and anything that RFC 8259 does not allow. The value shares the memory of text.
func Parse(text string) (*Value, error) { return read(text, false) }

// ParseLoose is Parse for text that others will read, and not as one JSON value perhaps: a key may come twice, and
// both are kept.
func ParseLoose(text string) (*Value, error) { return read(text, true) }

func read(text string, loose bool) (*Value, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%w: not valid UTF-8", ErrRefused)
	}
	p := &parser{in: text, loose: loose}
	p.space()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at < len(p.in) {
		return nil, p.fail("something follows the value")
	}
	return v, nil
}

type parser struct {
	in    string
	at    int
	loose bool
	spare []Value // made together, for they live and die together
	made  int     // at the last time
}

// atOnce is how many values are made at once in a text that has many.
const atOnce = 64

// make gives a new value.
func (p *parser) make(kind Kind) *Value {
	if len(p.spare) == 0 {
		p.made = min(2*p.made+1, atOnce)
		p.spare = make([]Value, p.made)
	}
	v := &p.spare[0]
	p.spare = p.spare[1:]
	v.Kind = kind
	return v
}

func (p *parser) fail(why string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrRefused, why, p.at)
}

func (p *parser) space() {
	for p.at < len(p.in) && (p.in[p.at] == ' ' || p.in[p.at] == '\n' || p.in[p.at] == '\t' || p.in[p.at] == '\r') {
		p.at++
	}
}

// peek is the next byte, 0 at the end: no byte of JSON's grammar.
func (p *parser) peek() byte {
	if p.at < len(p.in) {
		return p.in[p.at]
	}
	return 0
}

func (p *parser) value(depth int) (*Value, error) {
	if depth > maxDepth {
		return nil, p.fail("nested too deep")
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		v := p.make(String)
		var err error
		v.Text, err = p.text()
		return v, err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	return p.word()
}

func (p *parser) word() (*Value, error) {
	for _, w := range words {
		if strings.HasPrefix(p.in[p.at:], w.text) {
			p.at += len(w.text)
			return p.make(w.kind), nil
		}
	}
	return nil, p.fail("no value")
}

var words = []struct {
	text string
	kind Kind
}{{"true", True}, {"false", False}, {"null", Null}}

func (p *parser) array(depth int) (*Value, error) {
	v := p.make(Array)
	p.at++
	p.space()
	for p.peek() != ']' {
		if err := p.comma(len(v.Items)); err != nil {
			return nil, err
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, item)
		p.space()
	}
	p.at++
	return v, nil
}

// comma takes the comma before every item but the first.
func (p *parser) comma(n int) error {
	if n == 0 {
		return nil
	}
	if p.peek() != ',' {
		return p.fail("no comma")
	}
	p.at++
	p.space()
	return nil
}

func (p *parser) object(depth int) (*Value, error) {
	v := p.make(Object)
	var seen map[string]bool
	p.at++
	p.space()
	for p.peek() != '}' {
		if err := p.comma(len(v.Members)); err != nil {
			return nil, err
		}
		m, err := p.member(depth)
		if err != nil {
			return nil, err
		}
		if !p.loose && repeated(v, m.Key, &seen) {
			return nil, p.fail("the same key twice")
		}
		if v.Members == nil {
			v.Members = make([]Member, 0, fewMembers)
		}
		v.Members = append(v.Members, m)
		p.space()
	}
	p.at++
	return v, nil
}

func repeated(v *Value, key string, seen *map[string]bool) bool {
	if len(v.Members) < manyKeys {
		return v.Get(key) != nil
	}
	if *seen == nil {
		*seen = make(map[string]bool, 2*manyKeys)
		for _, m := range v.Members {
			(*seen)[m.Key] = true
		}
	}
	twice := (*seen)[key]
	(*seen)[key] = true
	return twice
}

func (p *parser) member(depth int) (Member, error) {
	if p.peek() != '"' {
		return Member{}, p.fail("no key")
	}
	key, err := p.text()
	if err != nil {
		return Member{}, err
	}
	p.space()
	if p.peek() != ':' {
		return Member{}, p.fail("no colon")
	}
	p.at++
	p.space()
	v, err := p.value(depth + 1)
	return Member{key, v}, err
}
