package leakscan

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Depth is how many layers of encoding are taken off: two that are each made of two, as gzip in base64 is.
const Depth = 4

// shortest is how long a value must be to be looked for in other case, reversed or pulled apart: shorter ones would be
// found by chance.
const shortest = 8

// Leak is one find.
type Leak struct {
	Canary string
	Where  string
	How    string // the layers that hid it, outermost first
}

// String names the find, never the value.
func (l Leak) String() string { return fmt.Sprintf("%s in %s (%s)", l.Canary, l.Where, l.How) }

// Scanner looks for canaries. It is safe for use by many goroutines.
type Scanner struct {
	needles  []needle
	decoders []decoder
}

// needle is a canary in the forms it is looked for.
type needle struct {
	name  string
	forms []form
}

type form struct {
	how  string
	seen func(text) []byte // which rendering of a text it is looked for in
	want []byte
}

// text is a view in the renderings that forms are looked for in.
type text struct{ raw, lower, dense []byte }

// New makes a scanner for canaries. Empty values are not looked for.
func New(canaries ...Canary) *Scanner {
	s := &Scanner{decoders: decoders}
	for _, c := range canaries {
		if c.Value != "" {
			s.needles = append(s.needles, needle{c.Name, forms(c.Value)})
		}
	}
	return s
}

func forms(v string) []form {
	raw := func(t text) []byte { return t.raw }
	all := []form{{"as it is", raw, []byte(v)}, {"composed", raw, norm.NFC.Bytes([]byte(v))}, {"decomposed", raw, norm.NFD.Bytes([]byte(v))}, {"compatible", raw, norm.NFKC.Bytes([]byte(v))}}
	if len(v) < shortest {
		return all
	}
	return append(all,
		form{"other case", func(t text) []byte { return t.lower }, lowered([]byte(v))},
		form{"pulled apart", func(t text) []byte { return t.dense }, dense([]byte(v))},
		form{"reversed", func(t text) []byte { return t.dense }, dense([]byte(backwards(v)))},
		form{"bytes reversed", func(t text) []byte { return t.dense }, dense(reversedBytes(v))},
	)
}

// Bytes looks through b, which came from where.
func (s *Scanner) Bytes(where string, b []byte) []Leak {
	var leaks []Leak
	for _, v := range s.views(b) {
		t := text{v.b, lowered(v.b), dense(v.b)}
		for _, n := range s.needles {
			if how, ok := n.in(t); ok && !slices.ContainsFunc(leaks, func(l Leak) bool { return l.Canary == n.name }) {
				leaks = append(leaks, Leak{n.name, where, strings.Trim(v.how+" > "+how, " >")})
			}
		}
	}
	return leaks
}

func (n needle) in(t text) (how string, ok bool) {
	for _, f := range n.forms {
		if len(f.want) > 0 && bytes.Contains(f.seen(t), f.want) {
			return f.how, true
		}
	}
	return "", false
}

// Fragments names the canaries of which some n bytes in a row stand in b as they are.
func (s *Scanner) Fragments(where string, b []byte, n int) (leaks []Leak) {
	for _, needle := range s.needles {
		whole := needle.forms[0].want
		for i := 0; i+n <= len(whole); i++ {
			if bytes.Contains(b, whole[i:i+n]) {
				leaks = append(leaks, Leak{needle.name, where, fmt.Sprintf("%d bytes of it", n)})
				break
			}
		}
	}
	return leaks
}

// view is one reading of what was given.
type view struct {
	b   []byte
	how string
}

// views is b and all that it decodes to, each once.
func (s *Scanner) views(b []byte) []view {
	all := []view{{b, ""}}
	seen := map[[32]byte]bool{sha256.Sum256(b): true}
	for from, depth := 0, 0; depth < Depth; depth++ {
		to := len(all)
		for _, v := range all[from:to] {
			isText := reads(v.b)
			for _, d := range s.decoders {
				if d.outer && depth > 2 || d.texts && !isText {
					continue
				}
				for _, out := range d.decode(v.b) {
					if sum := sha256.Sum256(out); len(out) > 0 && !seen[sum] {
						seen[sum] = true
						all = append(all, view{out, strings.Trim(v.how+" > "+d.name, " >")})
					}
				}
			}
		}
		from = to
	}
	return all
}

// reads says whether bytes look like text. Noise is searched and unpacked, but not decoded further: from noise comes
// only more noise.
func reads(b []byte) bool {
	good, all := 0, 0
	for i := 0; i < len(b); all++ {
		if ' ' <= b[i] && b[i] < 0x7f {
			good++
			i++
			continue // most bytes are these, and tables of Unicode are slow
		}
		r, n := utf8.DecodeRune(b[i:])
		if r != utf8.RuneError && (unicode.IsPrint(r) || apart(r) && r >= ' ' || r == '\n' || r == '\t' || r == '\r') {
			good++
		}
		i += n
	}
	return len(b) >= shortest && good*4 >= all*3
}

// lowered folds case, byte by byte where a text is no UTF-8.
func lowered(b []byte) []byte { return bytes.ToLower(b) }

// dense folds case and drops everything that only pulls letters apart.
func dense(b []byte) []byte { return lowered(together(b)) }

// together drops everything that only pulls letters apart.
func together(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			if !apart(rune(b[i])) {
				out = append(out, b[i])
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if !apart(r) {
			out = utf8.AppendRune(out, r)
		}
		i += n
	}
	return out
}

// apart says whether a rune only pulls others apart.
func apart(r rune) bool {
	if r < 0x34F { // most runes are these, and tables of Unicode are slow
		return r <= ' ' || 0x7f <= r && r <= 0xA0 || r == 0xAD
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Variation_Selector) || unicode.IsControl(r) || r == 0x034F
}

func backwards(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

func reversedBytes(s string) []byte {
	b := []byte(s)
	slices.Reverse(b)
	return b
}
