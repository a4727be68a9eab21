package i18n

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Key names a text: area, dot, what it is for.
type Key string

// T is the text for key in the language of ctx, with args filled in: pairs of a name and a value. Whole numbers get
// thousands separators; the argument n also chooses the plural form.
func T(ctx context.Context, key Key, args ...any) string {
	locale := LocaleOf(ctx)
	m, ok := catalogues[locale][key]
	if !ok {
		return "⟦" + string(key) + "⟧" // a test finds these before a reader does
	}
	text := m.form(locale, args)
	if locale == Pseudo {
		text = pseudo(text)
	}
	return fill(ctx, text, args)
}

// Pick is the text in the language of ctx out of those that stand in data, by locale; the English one where there is none in it.
func Pick(ctx context.Context, texts map[string]string) string {
	locale := LocaleOf(ctx)
	if text, ok := texts[locale]; ok {
		return text
	}
	if locale == Pseudo {
		return pseudo(texts[English])
	}
	return texts[English]
}

// form picks the text for the count n, if the message has forms.
func (m message) form(locale string, args []any) string {
	if m.plural == nil {
		return m.text
	}
	n, ok := count(args)
	if !ok {
		return m.text
	}
	if text, ok := m.plural[formName[plural.Cardinal.MatchPlural(languageOf[locale], n, 0, 0, 0, 0)]]; ok {
		return text
	}
	return m.text
}

// languageOf is where the plural rules of a locale come from.
var languageOf = map[string]language.Tag{English: language.English, German: language.German, Pseudo: language.English}

var formName = map[plural.Form]string{
	plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many", plural.Other: "other",
}

// count finds the argument n, as far as the plural rules need it.
func count(args []any) (int, bool) {
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] != "n" {
			continue
		}
		n, ok := whole(args[i+1])
		if n < 0 {
			n = -n
		}
		return int(n % 1_000_000), ok // the rules look at the last digits only
	}
	return 0, false
}

// fill puts the values in the place of their names in braces.
func fill(ctx context.Context, text string, args []any) string {
	if len(args) == 0 || !strings.Contains(text, "{") {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		plain, name, found := strings.Cut(rest, "{")
		b.WriteString(plain)
		if !found {
			break
		}
		arg, after, closed := strings.Cut(name, "}")
		value, known := named(ctx, args, arg)
		if !closed || !known { // a brace of the text itself
			b.WriteByte('{')
			rest = name
			continue
		}
		b.WriteString(value)
		rest = after
	}
	return b.String()
}

// named finds the value of an argument.
func named(ctx context.Context, args []any, name string) (string, bool) {
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] == name {
			return show(ctx, args[i+1]), true
		}
	}
	return "", false
}

func show(ctx context.Context, v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if n, ok := whole(v); ok {
		return Count(ctx, n)
	}
	return fmt.Sprint(v)
}
