package leakscan

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoder takes one layer off. What it cannot read it leaves out; it answers nothing when there is no such layer.
type decoder struct {
	name   string
	decode func([]byte) [][]byte
	texts  bool // reads texts only
	outer  bool // only among the three outermost layers: what turns a whole text would double the work at every layer
}

var decoders = []decoder{
	{"json", escapes, true, false},
	{"url", percents, true, false},
	{"html", entities, true, false},
	{"quoted-printable", quoted, true, false},
	{"base64", base64s, true, false},
	{"hex", hexes, true, false},
	{"base32", base32s, true, false},
	{"reversed", mirrored, true, true},
	{"pulled apart", joined, true, true},
	{"utf-16", wide, false, false},
	{"gzip", gzips, false, false},
	{"zlib", zlibs, false, false},
	{"zip", zips, false, false},
}

var (
	backslash = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-3][0-7]{2}|.)`)
	pairs     = regexp.MustCompile(`(?i)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})`)
	percent   = regexp.MustCompile(`%[0-9a-fA-F]{2}`)
	entity    = regexp.MustCompile(`&[#\w]{2,10};`)
	equals    = regexp.MustCompile(`=(?:[0-9A-Fa-f]{2}|[ \t]*\r?\n)`)
)

// one is a view when something changed.
func one(before, after []byte) [][]byte {
	if string(before) == string(after) {
		return nil
	}
	return [][]byte{after}
}

func escapes(b []byte) [][]byte {
	if bytes.IndexByte(b, '\\') < 0 {
		return nil
	}
	joined := pairs.ReplaceAllFunc(b, func(m []byte) []byte {
		hi, lo := number(string(m[2:6]), 16), number(string(m[8:12]), 16)
		return utf8.AppendRune(nil, utf16.DecodeRune(hi, lo))
	})
	return one(b, backslash.ReplaceAllFunc(joined, unescape))
}

func unescape(m []byte) []byte {
	switch c := m[1]; {
	case c == 'u' && len(m) == 6:
		return utf8.AppendRune(nil, number(string(m[2:]), 16))
	case c == 'x' && len(m) == 4:
		return []byte{byte(number(string(m[2:]), 16))}
	case len(m) == 4:
		return []byte{byte(number(string(m[1:]), 8))}
	default:
		if i := strings.IndexByte("nrtbf", c); i >= 0 {
			return []byte{"\n\r\t\b\f"[i]}
		}
		return m[1:]
	}
}

// number reads digits that an expression has let through.
func number(digits string, base int) rune {
	n, err := strconv.ParseUint(digits, base, 21)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// percents undoes the escapes of URLs, with and without the plus that stands for a blank.
func percents(b []byte) [][]byte {
	if bytes.IndexByte(b, '%') < 0 && bytes.IndexByte(b, '+') < 0 {
		return nil
	}
	undo := func(s []byte) []byte {
		return percent.ReplaceAllFunc(s, func(m []byte) []byte { return []byte{byte(number(string(m[1:]), 16))} })
	}
	return [][]byte{undo(b), undo([]byte(strings.ReplaceAll(string(b), "+", " ")))}
}

func entities(b []byte) [][]byte {
	if bytes.IndexByte(b, '&') < 0 || !entity.Match(b) {
		return nil
	}
	return one(b, []byte(html.UnescapeString(string(b))))
}

func quoted(b []byte) [][]byte {
	if bytes.IndexByte(b, '=') < 0 {
		return nil
	}
	return one(b, equals.ReplaceAllFunc(b, func(m []byte) []byte {
		if len(m) != 3 || m[1] == ' ' || m[1] == '\t' || m[1] == '\r' {
			return nil
		}
		return []byte{byte(number(string(m[1:]), 16))}
	}))
}

// mirrored is the text from its end.
func mirrored(b []byte) [][]byte { return [][]byte{[]byte(backwards(string(b)))} }

// joined is the text without what only pulls letters apart, but with its case: codes depend on it.
func joined(b []byte) [][]byte { return one(b, together(b)) }

// shifted decodes every run from each of its first few places, because a run may begin with letters that are not part
// of it. What one place gives for all runs is one view; what of it reads as text is another, for that is decoded on.
func shifted(runs [][]byte, clean func([]byte) string, places int, decode func(string) []byte) [][]byte {
	out := make([][]byte, 2*places)
	for _, run := range runs {
		for i := range places {
			if s := clean(run); len(s) > i+4 {
				d := decode(s[i:])
				out[i] = append(append(out[i], d...), 0)
				if reads(d) {
					out[places+i] = append(append(out[places+i], d...), '\n')
				}
			}
		}
	}
	return out
}

// base64s reads both alphabets. A word before the run, on the line above, may have been taken into it: every line is
// read by itself too.
func base64s(b []byte) [][]byte {
	clean := func(r []byte) string { return ofURLs.Replace(tight(r)) }
	decode := func(s string) []byte {
		if len(s)%4 == 1 {
			s = s[:len(s)-1]
		}
		d, err := base64.RawStdEncoding.DecodeString(s)
		if err != nil {
			return nil
		}
		return d
	}
	return append(shifted(sixties.runs(b, 4, 1), clean, 4, decode), shifted(sixties.runs(b, 8, 0), clean, 4, decode)...)
}

// ofURLs writes the alphabet for URLs in the usual one.
var ofURLs = strings.NewReplacer("-", "+", "_", "/")

func hexes(b []byte) [][]byte {
	return shifted(hexRuns(b), hexOnly, 2, func(s string) []byte {
		d, err := hex.DecodeString(s[:len(s)-len(s)%2])
		if err != nil {
			return nil
		}
		return d
	})
}

func base32s(b []byte) [][]byte {
	clean := func(r []byte) string { return strings.ToUpper(tight(r)) }
	return shifted(thirties.runs(b, 16, 4), clean, 8, func(s string) []byte {
		for len(s) > 0 {
			if d, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(s); err == nil {
				return d
			}
			s = s[:len(s)-1]
		}
		return nil
	})
}

// wide reads the text as UTF-16 of both byte orders, from both places.
func wide(b []byte) (all [][]byte) {
	if !strings.Contains(string(b), "\x00") {
		return nil
	}
	for _, start := range []int{0, 1} {
		for _, big := range []int{0, 1} {
			units := make([]uint16, 0, len(b)/2)
			for i := start; i+1 < len(b); i += 2 {
				units = append(units, uint16(b[i+big])|uint16(b[i+1-big])<<8)
			}
			all = append(all, []byte(string(utf16.Decode(units))))
		}
	}
	return all
}
