package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestScan_beginningsOnly: a text that holds nothing but the beginnings of forms must not cost a look at all that follows
// for each of them.
func TestScan_beginningsOnly(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"glpat-", "github_pat_", "whsec_", "sq0atp-", ".acc", " enc ", "_mmk", ":apa91b"} {
		text := []byte(strings.Repeat(word, 64<<10/len(word)))
		for _, f := range allForms() {
			if f.word != word {
				continue
			}
			k, looks := f.keyword(), 0
			h := hits{text: text, add: func(span) {}}
			for i := 0; i < len(text); i += len(word) {
				if i >= h.done[&k] {
					looks++
					h.look(&k, i)
				}
			}
			if looks > len(text)/100 {
				t.Errorf("%s %q: %d looks at %d bytes", f.kind, word, looks, len(text))
			}
		}
	}
}

// TestScan_longForms: what is longer than the stretch in which a form is looked for goes as a whole.
func TestScan_longForms(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, lead := range []string{"ey" + "JhbGciOiJSUzI1NiJ9.ey" + "J4NWMiOiI", "IQoJb3JpZ2luX2Vj"} {
		secret := lead + some(r, alnum, 3*maxForm)
		if out, _ := New().Scan("a " + secret + " b"); len(out) > 60 || !strings.HasSuffix(out, "] b") {
			t.Errorf("%q… became %d bytes", lead, len(out))
		}
	}
}
