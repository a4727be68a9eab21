package i18n

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/feature/plural"
)

var placeShape = regexp.MustCompile(`\{\w+\}`)

// places are the arguments that a text has room for.
func places(text string) []string {
	all := placeShape.FindAllString(text, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// texts are all forms of a message.
func (m message) texts() []string {
	if m.plural == nil {
		return []string{m.text}
	}
	return slices.Collect(maps.Values(m.plural))
}

// TestLanguages_complete: every language has each text, with the same places and the plural forms that its counts need.
func TestLanguages_complete(t *testing.T) {
	t.Parallel()
	for _, l := range Languages[1:] {
		own := catalogues[l.Locale]
		for key, m := range english {
			if _, ok := own[key]; !ok {
				t.Errorf("%s: no text for %q: %q", l.Locale, key, m.text)
			}
		}
		for key, m := range own {
			if from, ok := english[key]; !ok {
				t.Errorf("%s: %q is in no other language", l.Locale, key)
			} else {
				likewise(t, l.Locale, key, from, m)
			}
		}
	}
}

// likewise compares a text with the English one.
func likewise(t *testing.T, locale string, key Key, from, to message) {
	t.Helper()
	want := places(strings.Join(from.texts(), " "))
	if got := places(strings.Join(to.texts(), " ")); !slices.Equal(got, want) {
		t.Errorf("%s: %q has the places %v, not %v", locale, key, got, want)
	}
	if (from.plural == nil) != (to.plural == nil) {
		t.Errorf("%s: %q has a plural in one language only", locale, key)
	}
	for n := 0; to.plural != nil && n < 30; n++ {
		form := formName[plural.Cardinal.MatchPlural(languageOf[locale], n, 0, 0, 0, 0)]
		if _, ok := to.plural[form]; !ok {
			t.Errorf("%s: %q has no form %q", locale, key, form)
			break
		}
	}
	for _, text := range to.texts() {
		if strings.TrimSpace(text) == "" || text != strings.TrimSpace(text) {
			t.Errorf("%s: %q: %q", locale, key, text)
		}
	}
}
