package phrase

import (
	_ "embed"
	"encoding/json"
	"maps"
	"sync"
)

//go:embed de.json
var german []byte

// cards are what a server says in the text that it signs for a person: what a call would do, why somebody is asked, what was
// measured. Sentences for anything else stay out: a name that ends like one of them must not turn a request into a report.
// books have these and all else that a server says. Both are compiled in and tested. They are made when somebody asks: each
// command that runs in the sandbox begins this program anew, and none of them says anything in German.
var made = sync.OnceValues(func() (cards, books map[string]Book) { return must(map[string][]byte{"de": german}) })

// Locales are the languages besides English in which a server says what a call does.
var Locales = []string{"de"}

// Of is the book of a locale: the sentences of a server. A locale without one has the zero Book.
func Of(locale string) Book {
	_, books := made()
	return books[locale]
}

// Card is the book of a locale for the text of a request, which is signed. A locale without one has the zero Book.
func Card(locale string) Book {
	cards, _ := made()
	return cards[locale]
}

// must reads the sentences of each locale, those of cards and the others.
func must(files map[string][]byte) (cards, all map[string]Book) {
	cards, all = map[string]Book{}, map[string]Book{}
	for locale, raw := range files {
		var of struct{ Card, Told map[string]string }
		err := json.Unmarshal(raw, &of)
		if err == nil {
			cards[locale], err = New(of.Card)
		}
		if err == nil {
			maps.Copy(of.Told, of.Card)
			all[locale], err = New(of.Told)
		}
		if err != nil {
			panic("phrase: " + locale + ": " + err.Error())
		}
	}
	return cards, all
}
