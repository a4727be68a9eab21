package i18n

import (
	"context"
	"embed"
	"encoding/json"

	"gatehouse/agentd/phrase"
)

//go:embed said/*.json
var saidFiles embed.FS

// books hold the sentences that the hub's programs say in English: faults, answers of a server, steps of an order.
var books = map[string]phrase.Book{German: mustBook(German)}

// Say puts a sentence that a program said in English into the language of ctx: one of the hub, or else of a server. One that
// neither book has stays English.
func Say(ctx context.Context, english string) string {
	locale := LocaleOf(ctx)
	if said, ok := books[locale].Say(english); ok {
		return said
	}
	said, _ := phrase.Of(locale).Say(english)
	return said
}

// SayAll does so with each sentence of a table, such as the problems of a form by field.
func SayAll(ctx context.Context, english map[string]string) map[string]string {
	if len(english) == 0 {
		return english
	}
	said := make(map[string]string, len(english))
	for name, text := range english {
		said[name] = Say(ctx, text)
	}
	return said
}

// mustBook reads the book of a language, which is compiled in and tested.
func mustBook(locale string) phrase.Book {
	raw, err := saidFiles.ReadFile("said/" + locale + ".json")
	if err != nil {
		panic("i18n: " + err.Error())
	}
	var sentences map[string]string
	if err := json.Unmarshal(raw, &sentences); err != nil {
		panic("i18n: said/" + locale + ".json: " + err.Error())
	}
	b, err := phrase.New(sentences)
	if err != nil {
		panic("i18n: said/" + locale + ".json: " + err.Error())
	}
	return b
}
