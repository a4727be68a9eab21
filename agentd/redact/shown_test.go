package redact

import "testing"

// TestShown: marks of every kind are known again in a text, those that stood in it before are not counted, and what only
// looks like one is none.
func TestShown(t *testing.T) {
	t.Parallel()
	known := some(rng(4), alnum, 20)
	e := NewWith([]Known{{"db.main-key", known}})
	secret := e.Text("x = " + known)[len("x = "):]
	form := e.Text(fill(rng(1), "ghp_{{alnum 36}}"))
	second := e.Text(fill(rng(2), "ghp_{{alnum 36}}"))
	for _, mark := range []string{secret, form, second, unscanned} {
		if got := Shown("a\nb\n", "a\nx = \""+mark+"\"\n"); got != mark {
			t.Errorf("%s is read as %q", mark, got)
		}
		if got := Shown("x"+mark+"y", "a "+mark); got != "" {
			t.Errorf("%s stood there before, and is given as %q", mark, got)
		}
		if got := Shown("x"+mark, mark+mark); got != mark {
			t.Errorf("%s stood there once, and twice now: %q", mark, got)
		}
	}
	for _, text := range []string{"", "[", "[SECRET:", "[SECRET:]", "[SECRET: a]", "[REDACTED:", "[SECRET_REF(a)]", "[REDACTED]", "a[0]", "[secret:a]", "[SECRET:a b]"} {
		if got := Shown("", text); got != "" {
			t.Errorf("%q holds %q", text, got)
		}
	}
}
