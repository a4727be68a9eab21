package help

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gatehouse/app/document"
)

// word is one word of a text: where it stands, and what it is compared by.
type word struct {
	from, to int // bytes of the text
	key      string
}

// wordsOf finds the words of a text.
func wordsOf(lang, text string) []word {
	var all []word
	from := -1
	for i, r := range text {
		switch in := document.IsWord(r); {
		case in && from < 0:
			from = i
		case !in && from >= 0:
			all = append(all, word{from, i, key(lang, text[from:i])})
			from = -1
		}
	}
	if from >= 0 {
		all = append(all, word{from, len(text), key(lang, text[from:])})
	}
	return all
}

// digraphs are how umlauts are written without them: Schluessel is Schlüssel.
var digraphs = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// key is what a word is compared by: without case and accents, in German also without the ways to write an umlaut.
func key(lang, s string) string {
	s = document.Fold(s)
	if lang == "de" {
		s = digraphs.Replace(s)
	}
	return s
}

// endings are what inflection adds to words, the longest first.
var endings = map[string][]string{
	"en": {"ing", "es", "ed", "s", "e"},
	"de": {"en", "er", "es", "em", "e", "n", "s"},
}

// shortest is how long a stem is at least.
const shortest = 4

// stem takes the ending of inflection off a word that is asked for, so that files finds file.
func stem(lang, key string) string {
	for _, e := range endings[lang] {
		if rest, ok := strings.CutSuffix(key, e); ok && utf8.RuneCountInString(rest) >= shortest {
			return rest
		}
	}
	return key
}

// matches reports whether a word of a text is what was asked for: it begins so or, for longer stems, holds it as compounds
// do.
func (w word) matches(stem string) bool {
	return strings.HasPrefix(w.key, stem) || utf8.RuneCountInString(stem) > shortest && strings.Contains(w.key, stem)
}

// fillers are words that every question has and that find nothing.
var fillers = map[string][]string{
	"en": strings.Fields("a an and are be can do does for from get how i if in is it me my of on or the this to we what when where " +
		"which who why will with you your"),
	"de": strings.Fields("aber als am an auf aus bei bin da das dem den der die ein eine einen es fur geht habe haben hat ich ihr " +
		"im in ist kann man mein meine meinem meinen mich mir mit muss nach oder sich sie sind und unser von was wenn wer werden wie " +
		"wir wird wo warum zu zum zur"),
}

// stemsOf are what a query asks for: its words without the fillers, or all of them when nothing else is left.
func stemsOf(lang, query string) []string {
	var all, some []string
	for _, w := range wordsOf(lang, query) {
		s := stem(lang, w.key)
		if slices.Contains(all, s) {
			continue
		}
		all = append(all, s)
		if !slices.Contains(fillers[lang], w.key) {
			some = append(some, s)
		}
	}
	if len(some) == 0 {
		return all
	}
	return some
}
