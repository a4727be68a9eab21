package i18n

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestT(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		situation string
		key       Key
		args      []any
		want      string
	}{
		{"plain", "ui.decision.deny", nil, "Deny"},
		{"an argument", "layout.title", []any{"title", "Home"}, "Home · Gatehouse"},
		{"one", "ui.evidence.receipts", []any{"n", 1}, "1 receipt"},
		{"several, with separators", "ui.evidence.receipts", []any{"n", int64(1204)}, "1,204 receipts"},
		{"none", "ui.evidence.receipts", []any{"n", 0}, "0 receipts"},
		{"an argument that looks like a name", "layout.title", []any{"title", "{title}"}, "{title} · Gatehouse"},
		{"a key that does not exist", "ui.no.such.key", nil, "⟦ui.no.such.key⟧"},
	} {
		if got := T(t.Context(), tc.key, tc.args...); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.situation, got, tc.want)
		}
	}
}

func TestT_pseudo(t *testing.T) {
	t.Parallel()
	got := T(With(t.Context(), Pseudo), "layout.title", "title", "Home")
	if !strings.HasPrefix(got, "⟦Home · Gátéhóúšé") || !strings.HasSuffix(got, "⟧") {
		t.Errorf("%q: arguments stay, words get accents", got)
	}
	if plain := T(t.Context(), "layout.title", "title", "Home"); len([]rune(got)) < len([]rune(plain))*13/10 {
		t.Errorf("%q has no room to grow", got)
	}
}

func TestLocale(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": English, "en": English, "xx": English, Pseudo: Pseudo} {
		if got := LocaleOf(With(t.Context(), given)); got != want {
			t.Errorf("%q became %q", given, got)
		}
	}
	if LocaleOf(t.Context()) != English {
		t.Error("a context without a locale is English")
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1204: "−1,204", -9223372036854775808: "−9,223,372,036,854,775,808"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestLoad_faults(t *testing.T) {
	t.Parallel()
	for situation, files := range map[string]fstest.MapFS{
		"a key in two files":     {"en/a.json": {Data: []byte(`{"a.x":"1"}`)}, "en/b.json": {Data: []byte(`{"a.x":"2"}`)}},
		"a plural without other": {"en/a.json": {Data: []byte(`{"a.x":{"one":"1"}}`)}},
		"not JSON":               {"en/a.json": {Data: []byte(`{`)}},
		"a number":               {"en/a.json": {Data: []byte(`{"a.x":1}`)}},
	} {
		if _, err := load(files, "en"); err == nil {
			t.Errorf("%s was let through", situation)
		}
	}
}
