package i18n

import (
	"context"

	"golang.org/x/text/language"
)

// The locales of the interface. Pseudo is English with accents and 40 % more room, for tests.
const (
	English = "en"
	German  = "de"
	Pseudo  = "en-XA"
)

// Language is one that a person may choose: its locale, and its name in itself.
type Language struct{ Locale, Name string }

// Languages are those in which every text is there. The first is the one for everybody else.
var Languages = []Language{{English, "English"}, {German, "Deutsch"}}

// tags are those of Languages, in their order.
var tags = func() (all []language.Tag) {
	for _, l := range Languages {
		all = append(all, language.MustParse(l.Locale))
	}
	return all
}()

var matcher = language.NewMatcher(tags)

// Offered says whether a person may choose locale.
func Offered(locale string) bool {
	for _, l := range Languages {
		if l.Locale == locale {
			return true
		}
	}
	return false
}

// Match is the locale that suits the header Accept-Language of a browser best.
func Match(accept string) string {
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(wanted) == 0 {
		return English
	}
	if wanted[0].String() == Pseudo {
		return Pseudo
	}
	_, i, sure := matcher.Match(wanted...)
	if sure == language.No {
		return English
	}
	return Languages[i].Locale
}

type localeKey struct{}

// With returns a context whose texts are in the given locale; one that is not known is English.
func With(ctx context.Context, locale string) context.Context {
	if locale != Pseudo && !Offered(locale) {
		locale = English
	}
	return context.WithValue(ctx, localeKey{}, locale)
}

// LocaleOf is the locale of ctx, English unless said otherwise. It stands in the lang attribute of a page.
func LocaleOf(ctx context.Context) string {
	if l, ok := ctx.Value(localeKey{}).(string); ok {
		return l
	}
	return English
}
