package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// However a text is cut, its stream shows nothing of a secret, and everything else.
func TestStream_anyCut(t *testing.T) {
	t.Parallel()
	seed, _ := seedOf(0, 0)
	r := rand.New(rand.NewPCG(seed, 2))
	secret := some(r, alnum, 24)
	token := "ghp_" + some(r, alnum, 36)
	e := NewWith([]Known{{"it", secret}})
	text := "Here comes " + secret + " in a sentence, then\npassword: " + fill(r, "{{pw}}") + "\nand " + token + ".\n" + fill(r, "{{pem RSA PRIVATE KEY}}") + "\nThe rest of it is plain prose, whatever happens."
	want := e.Text(text)
	for range 300 {
		s := e.Stream()
		var out strings.Builder
		for rest := text; rest != ""; {
			n := min(len(rest), 1+r.IntN(12))
			out.WriteString(s.Write(rest[:n]))
			rest = rest[n:]
		}
		out.WriteString(s.Flush())
		if out.String() != want {
			t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, out.String(), want)
		}
	}
}

// Every encoding that is known beforehand is held back from its first byte on.
func TestStream_encoded(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	secret := some(r, alnum, 28)
	e := NewWith([]Known{{"it", secret}})
	for _, enc := range testEncodings {
		text := "before (" + enc.of(r, secret) + ") after"
		for cut := 0; cut < len(text); cut += 1 + len(text)/40 {
			s := e.Stream()
			out := s.Write(text[:cut]) + s.Write(text[cut:]) + s.Flush()
			if !strings.Contains(out, "[SECRET:it]") || len(e.state.Load().reg.variants) == 0 {
				t.Fatalf("%s cut at %d: %q became %q", enc.name, cut, text, out)
			}
		}
	}
}

// What holds no secret comes out soon: at most a word is held back.
func TestStream_heldBack(t *testing.T) {
	t.Parallel()
	s := New().Stream()
	text := "the quick brown fox jumps over the lazy dog again and again and again "
	if out := s.Write(text); len(text)-len(out) > 16 {
		t.Errorf("%d bytes are held back", len(text)-len(out))
	}
	long := strings.Repeat("A", 200<<10)
	if out := s.Write(long); len(out) < len(long)-2*streamHold {
		t.Errorf("%d bytes are held back", len(long)-len(out))
	}
}
