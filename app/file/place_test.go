package file

import "testing"

func TestNumbered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		n    int
		want string
	}{
		{"offer.pdf", 1, "offer.pdf"},
		{"offer.pdf", 2, "offer (2).pdf"},
		{"offer", 3, "offer (3)"},
		{".profile", 2, ".profile (2)"},
		{"a.tar.gz", 2, "a.tar (2).gz"},
		{"Preise (2).txt", 2, "Preise (2) (2).txt"},
	} {
		if got := numbered(c.name, c.n); got != c.want {
			t.Errorf("%s %d: %q, want %q", c.name, c.n, got, c.want)
		}
	}
}

func TestIsName(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", ".", "..", "a/b", `a\b`, "a\nb", "../x", string(make([]byte, 300))} {
		if isName(bad) {
			t.Errorf("%q was taken", bad)
		}
	}
	if !isName("Preise für März (2).txt") {
		t.Error("an ordinary name was refused")
	}
}
