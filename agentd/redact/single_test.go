package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var base64Encodings = []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding}

// amid puts s between some of the bytes of from.
func amid(t *rand.Rand, from, s string) string {
	return some(t, from, pick(t, 40)) + s + some(t, from, pick(t, 40))
}

func inLines(s string, n int, end string) string {
	var b strings.Builder
	for ; len(s) > n; s = s[n:] {
		b.WriteString(s[:n] + end)
	}
	return b.String() + s
}

// singleEncodings are more ways to write a secret, with what stands around it in the same encoded text.
var singleEncodings = []encoding{
	{"base64 among text", func(t *rand.Rand, s string) string {
		return base64Encodings[pick(t, 4)].EncodeToString([]byte(amid(t, alnum+" .,:{}\"", s)))
	}},
	{"base64 among bytes", func(t *rand.Rand, s string) string {
		around := make([]byte, 2*pick(t, 40))
		for i := range around {
			around[i] = byte(t.IntN(256))
		}
		half := len(around) / 2
		return base64Encodings[pick(t, 4)].EncodeToString([]byte(string(around[:half]) + s + string(around[half:])))
	}},
	{"base64 of small letters", func(t *rand.Rand, s string) string {
		return base64Encodings[pick(t, 4)].EncodeToString([]byte("##"[:pick(t, 3)] + strings.ToLower(s)))
	}},
	{"base64 in lines", func(t *rand.Rand, s string) string {
		ends := []string{"\n", "\r\n", "\n  ", "\n\t"}
		return inLines(base64.StdEncoding.EncodeToString([]byte(amid(t, alnum+" ", s))), 8+pick(t, 70), ends[pick(t, 4)])
	}},
	{"base64 twice", func(_ *rand.Rand, s string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	}},
	{"base64 of hex", func(_ *rand.Rand, s string) string {
		return base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString([]byte(s))))
	}},
	{"base32 of small letters", func(_ *rand.Rand, s string) string {
		return base32.StdEncoding.EncodeToString([]byte(strings.ToLower(s)))
	}},
	{"hex in lines", func(t *rand.Rand, s string) string {
		return inLines(hex.EncodeToString([]byte(s)), 8+2*pick(t, 20), "\n")
	}},
	{"hex among text", func(t *rand.Rand, s string) string { return hex.EncodeToString([]byte(amid(t, alnum, s))) }},
	{"hex with signs", func(t *rand.Rand, s string) string {
		signs := []string{":", "-", ", ", ",", ";", "|", "."}
		return strings.ToUpper(joinedHex(signs[pick(t, len(signs))])(t, s))
	}},
	{"url here and there", func(t *rand.Rand, s string) string {
		var b strings.Builder
		for i := range len(s) {
			if c := s[i]; pick(t, 2) == 0 || c == '%' || c <= ' ' || c >= 0x7F {
				fmt.Fprintf(&b, "%%%02x", c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.String()
	}},
	{"one blank as plus", func(_ *rand.Rand, s string) string { return s[:4] + "+" + s[4:] }},
	{"blank behind a backslash", func(_ *rand.Rand, s string) string { return s[:4] + `\ ` + s[4:] }},
	{"line that goes on", func(_ *rand.Rand, s string) string { return s[:4] + "\\\n" + s[4:] }},
	{"octal behind a zero", eachByte(`\0%o`)},
	{"quoted-printable in full", eachByte("=%02X")},
	{"references with zeros", eachRune("&#%05d;")},
	{"braces", eachRune(`\u{%x}`)},
	{"json twice", func(_ *rand.Rand, s string) string { return string(quoted(string(quoted(s)))) }},
}

// No encoding of one layer hides a secret of eight characters or more.
func TestRegistry_everySingleEncoding(t *testing.T) {
	t.Parallel()
	seed, _ := seedOf(0, 0)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 40 {
		for _, enc := range singleEncodings {
			c := carriers[r.IntN(len(carriers))]
			secret := some(r, alnum, 8+r.IntN(30))
			planted := enc.of(r, secret)
			if c.name == "json" {
				planted = strings.Trim(string(quoted(planted)), `"`)
			}
			e := NewWith([]Known{{"other", "Zq81-not-this-one"}, {"it", secret}})
			if out := e.Text(strings.Replace(c.format, "%s", planted, 1)); !strings.Contains(out, "[SECRET:it]") {
				t.Errorf("seed %d, %s in %s: %q as %q became %q", seed, enc.name, c.name, secret, planted, out)
			}
		}
	}
}
