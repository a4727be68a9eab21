package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// streamedEncodings have spaces within, at which a stream could let go.
var streamedEncodings = []encoding{
	{"hex upper, commas", func(_ *rand.Rand, s string) string { return strings.ToUpper(joinedHex(", ")(nil, s)) }},
	{"hex quoted", func(_ *rand.Rand, s string) string { return `["` + joinedHex(`", "`)(nil, s) + `"]` }},
	{"bytes", inBytes("%d", " ")},
	{"bytes on lines", inBytes("%d", ",\n ")},
	{"bytes, octal", inBytes("%03o", " ")},
	{"code points", inBytes("U+%04X", " ")},
	{"shell blanks", func(_ *rand.Rand, s string) string { return s[:7] + `\ ` + s[7:12] + "\\\n" + s[12:] }},
	{"every letter apart", func(_ *rand.Rand, s string) string { return strings.Join(strings.Split(s, ""), " ") }},
}

// Wherever an encoded secret is cut in two, within a character too, a stream shows no more of it than the scan of the whole
// text leaves.
func TestStream_everyEncodingEveryCut(t *testing.T) {
	t.Parallel()
	seed, _ := seedOf(0, 0)
	r := rand.New(rand.NewPCG(seed, 3))
	for _, enc := range append(streamedEncodings, testEncodings...) {
		secret := some(r, alnum, 20)
		e := NewWith([]Known{{"it", secret}})
		planted := enc.of(r, secret)
		text := "Some words before it: " + planted + " and others behind it, for a while.\n"
		want := e.Text(text)
		for cut := range len(text) {
			s := e.Stream()
			out := s.Write(text[:cut]) + s.Write(text[cut:]) + s.Flush()
			if out != want && !strings.Contains(out, "[SECRET:it]") || left(out, planted) > left(want, planted)+3 {
				t.Fatalf("seed %d, %s cut at %d: %q became %q, in one piece %q", seed, enc.name, cut, text, out, want)
			}
		}
	}
}

// TestStream_cutCharacter: a character that has only begun, between the words of a secret, does not let the words before go.
func TestStream_cutCharacter(t *testing.T) {
	t.Parallel()
	e := NewWith([]Known{{"it", "ggcwmt txWVvj FQXNV"}})
	const text = "0 gg\ufeffcwm\ufefft tx\ufeffWV\u00adv\u00adj\u00ad FQX\u200dN\u200bV 0"
	for cut := range len(text) {
		s := e.Stream()
		if out := s.Write(text[:cut]) + s.Write(text[cut:]) + s.Flush(); out != "0 [SECRET:it] 0" {
			t.Errorf("cut at %d it became %q", cut, out)
		}
	}
}

// left is how long a piece of planted stands in out.
func left(out, planted string) (most int) {
	for i := range planted {
		for most < len(planted)-i && strings.Contains(out, planted[i:i+most+1]) {
			most++
		}
	}
	return most
}

// Wherever an encoded secret is cut in two parts of a conversation, nothing of it leaves but what the scan of one text
// would leave.
func TestTexts_everyEncodingCut(t *testing.T) {
	t.Parallel()
	seed, _ := seedOf(0, 0)
	r := rand.New(rand.NewPCG(seed, 4))
	for _, enc := range append(streamedEncodings, testEncodings...) {
		secret := some(r, alnum, 100)
		e := NewWith([]Known{{"it", secret}})
		planted := enc.of(r, secret)
		text := "Before: " + planted + " and behind"
		want := left(e.Text(text), planted)
		for cut := 1; cut < len(text); cut += 1 + len(text)/60 {
			parts := []string{text[:cut], text[cut:]}
			if out := strings.Join(e.Texts(parts), ""); left(out, planted) > want+3 {
				t.Fatalf("seed %d, %s cut at %d: %q became %q", seed, enc.name, cut, parts, out)
			}
		}
	}
}
