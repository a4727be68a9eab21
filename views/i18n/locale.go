package i18n

import "context"

// The locales of the interface. Pseudo is English with accents and 40 % more room, for tests.
const (
	English = "en"
	Pseudo  = "en-XA"
)

type localeKey struct{}

// With returns a context whose texts are in the given locale; one that is not known is English.
func With(ctx context.Context, locale string) context.Context {
	if locale != Pseudo {
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
