package i18n

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"
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
	for given, want := range map[string]string{
		"": English, "en": English, "xx": English, Pseudo: Pseudo, German: German, "de-AT": English,
	} {
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
	de := With(t.Context(), German)
	if got := Count(de, -1234567) + " " + Decimal(de, 1.25, 1) + " " + Decimal(t.Context(), -1.25, 2); got != "−1.234.567 1,2 −1.25" {
		t.Errorf("numbers: %s", got)
	}
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1204: "−1,204", -9223372036854775808: "−9,223,372,036,854,775,808"} {
		if got := Count(t.Context(), n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestEuros(t *testing.T) {
	t.Parallel()
	de := With(t.Context(), German)
	for cents, want := range map[int64][2]string{
		0: {"€0", "0 €"}, 29_00: {"€29", "29 €"}, 45_50: {"€45.50", "45,50 €"}, 5: {"€0.05", "0,05 €"},
		-1_05: {"€−1.05", "−1,05 €"}, 1234_00: {"€1,234", "1.234 €"},
	} {
		if got := [2]string{Euros(t.Context(), cents), Euros(de, cents)}; got != want {
			t.Errorf("%d cents: %q, want %q", cents, got, want)
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

func TestMatch(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"": English, "de": German, "de-AT,de;q=0.9,en;q=0.8": German, "en-GB,de;q=0.5": English, "fr,de;q=0.3": German, "fr,ja": English,
		"gsw": German, "*": English, "???": English, Pseudo: Pseudo, "en;q=0.2,de;q=0.9": German,
	} {
		if got := Match(accept); got != want {
			t.Errorf("%q: %s, want %s", accept, got, want)
		}
	}
}

func TestDate(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 7, 14, 2, 0, 0, time.FixedZone("CET", 3600))
	for locale, want := range map[string]string{English: "7 Mar 2026, 7 Mar, CET", German: "7. März 2026, 7. März, MEZ"} {
		ctx := With(t.Context(), locale)
		if got := Date(ctx, at) + ", " + Day(ctx, at) + ", " + Zone(ctx, at); got != want {
			t.Errorf("%s: %s", locale, got)
		}
	}
	if got := Date(With(t.Context(), Pseudo), at); !strings.Contains(got, "Mar") {
		t.Errorf("pseudo: %s", got)
	}
	if got := Zone(t.Context(), at.In(time.FixedZone("+03", 3*3600))); got != "UTC+03" {
		t.Errorf("a zone without a name: %s", got)
	}
}

// TestPick: a text out of data is in the reader's language, in English where there is none in it, and marked in the pseudo-locale.
func TestPick(t *testing.T) {
	t.Parallel()
	texts := map[string]string{English: "Shop", German: "Laden"}
	for locale, want := range map[string]string{English: "Shop", German: "Laden", Pseudo: pseudo("Shop")} {
		if got := Pick(With(t.Context(), locale), texts); got != want {
			t.Errorf("%s: %q", locale, got)
		}
	}
}
