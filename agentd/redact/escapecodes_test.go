package redact

import (
	"html"
	"testing"
)

// TestEntity_name: a sign that is a word of its own begins no character of HTML, so that it is not taken with a secret that
// stands beside it in such characters, written backwards.
func TestEntity_name(t *testing.T) {
	t.Parallel()
	const written = ";55#&;88#&;121#&;43#&;411#&;301#&;601#&;88#&;011#&;121#&;67#&;101#&"
	e := NewWith([]Known{{"it", html.UnescapeString(backwards(written))}})
	for _, behind := range []string{"", " A&", " hello & you", " R&D"} {
		if out := e.Text("0 " + written + behind); out != "0 [SECRET:it]"+behind {
			t.Errorf("before %q it became %q", behind, out)
		}
	}
	if dst, n := entity(nil, []byte("&amp;")); string(dst) != "&" || n != 5 {
		t.Errorf("&amp; is %q, %d bytes", dst, n)
	}
}
