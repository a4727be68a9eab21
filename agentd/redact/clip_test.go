package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestClip_acrossTheCut: wherever a cut falls in a secret, nothing of it is left.
func TestClip_acrossTheCut(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	value, key := some(r, alnum, 24), "ghp_"+some(r, alnum, 36)
	e := New()
	e.SetSecrets([]Known{{"shop.key", value}})
	encoded := map[string]string{"known": value, "form": key}
	for _, enc := range testEncodings {
		encoded["known "+enc.name] = enc.of(r, value)
	}
	for name, secret := range encoded {
		for n := 900; n < 900+len(secret); n++ {
			text := strings.Repeat("All is well here. ", 50) + secret + strings.Repeat(" and there", 300)
			out := e.Clip(text, n)
			if len(out) > n || !strings.HasSuffix(out, "…") {
				t.Fatalf("%s at %d: %d bytes, %q", name, n, len(out), out[len(out)-20:])
			}
			kept := strings.TrimSuffix(out, "…")[min(900, len(out)-3):]
			if kept != "" && strings.HasPrefix(secret, kept) && len(kept) > 3 {
				t.Errorf("%s cut at %d keeps %d bytes", name, n, len(kept))
			}
		}
	}
}

// TestClip_toldBehindTheCut: what only the text behind the cut gives away as a secret goes all the same.
func TestClip_toldBehindTheCut(t *testing.T) {
	t.Parallel()
	r, e := rand.New(rand.NewPCG(7, 5)), New()
	value := some(r, alnum, 16)
	for _, around := range [][2]string{
		{"postgres://shop:", "@db.internal/shop"}, {"https://deploy:", "@git.example.com/x.git"}, {"ftp://mirror:", "@files.example.com"},
	} {
		text := strings.Repeat("All is well here. ", 50) + around[0] + value + around[1] + strings.Repeat(" and there", 300)
		if strings.Contains(e.Text(text), value) {
			t.Fatalf("%s is no secret", around)
		}
		from := 900 + len(around[0])
		for n := from; n <= from+len(value)+len(around[1]); n++ {
			if out := e.Clip(text, n); strings.Contains(out, value[:4]) {
				t.Errorf("%s cut at %d: %q", around, n-from, out[len(out)-30:])
			}
		}
	}
}

// TestClip_length: at most n bytes, whole characters, and short texts as they are.
func TestClip_length(t *testing.T) {
	t.Parallel()
	e := New()
	for n := range 12 {
		out := e.Clip("aé€𝄞é€𝄞", n)
		if !utf8.ValidString(out) || n >= 3 && len(out) > n {
			t.Errorf("%d: %q", n, out)
		}
	}
	if out := e.Clip("short", 5); out != "short" {
		t.Errorf("%q", out)
	}
	if out := e.Clip("bad \xff byte", 100); out != "bad \uFFFD byte" {
		t.Errorf("%q", out)
	}
}
