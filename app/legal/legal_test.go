package legal_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gatehouse/app/legal"
)

var locales = []string{"en", "de"}

func folder(files map[string]string) fstest.MapFS {
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return dir
}

func TestRead(t *testing.T) {
	t.Parallel()
	p, err := legal.Read(folder(map[string]string{
		"terms.md": "\ufeff# Terms\n\nx\n\n## Paying\n\ny", "terms.de.md": "# AGB\n\nx", "imprint.de.md": "# Impressum\n\nx",
		"privacy.md": " \n", "notes.md": "\xff", "terms.txt": "\xff",
	}), locales)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Written(); !slices.Equal(got, []string{"terms", "imprint"}) {
		t.Errorf("written %v", got)
	}
	if got := p.Missing(); !slices.Equal(got, []string{"privacy"}) {
		t.Errorf("missing %v", got)
	}
	for _, c := range []struct{ name, locale, title, of string }{
		{"terms", "en", "Terms", ""},
		{"terms", "de", "AGB", "de"},
		{"terms", "en-XA", "Terms", ""},
		{"imprint", "de", "Impressum", "de"},
		{"imprint", "en", "Impressum", "de"},
	} {
		if got, ok := p.Of(c.name, c.locale); !ok || got.Title != c.title || got.Locale != c.of {
			t.Errorf("%s in %s: %q in %q", c.name, c.locale, got.Title, got.Locale)
		}
	}
	if _, ok := p.Of("privacy", "en"); ok {
		t.Error("a blank page is shown")
	}
	if got := (legal.Pages{}).Missing(); len(got) != len(legal.Names()) {
		t.Errorf("without a folder %v are missing", got)
	}
}

func TestRead_refused(t *testing.T) {
	t.Parallel()
	_, err := legal.Read(folder(map[string]string{
		"terms.md": strings.Repeat("x", legal.MaxFile+1), "privacy.md": "\xff\xfe", "imprint.fr.md": "x", "imprint.md": "a\x00b",
	}), locales)
	for _, want := range []string{
		"terms.md: longer than 256 KB", "privacy.md: not a text", "imprint.fr.md: pages are in en, de", "imprint.md: not a text",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("says nothing of %q: %v", want, err)
		}
	}
	if _, err := legal.Read(os.DirFS(filepath.Join(t.TempDir(), "missing")), locales); err == nil {
		t.Error("a folder that is not there was accepted")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "terms.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := legal.Read(os.DirFS(dir), locales); err == nil || !strings.Contains(err.Error(), "terms.md: is a directory") {
		t.Errorf("a folder in place of a file: %v", err)
	}
}
