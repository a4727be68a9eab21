package channel

import (
	"regexp"
	"strings"
	"unicode"
)

// word is what a stranger tells the channel itself, beside what is for the agent.
type word string

const (
	wordNone   word = ""
	wordStop   word = "stop"   // no more messages
	wordStart  word = "start"  // messages again
	wordPerson word = "person" // a person of the business, please
	wordErase  word = "delete" // delete what is kept of me
)

// words are all that count, in lower case and without a slash. They count in every language, whichever one is spoken.
var words = map[string]word{
	"stop": wordStop, "stopp": wordStop, "stop all": wordStop, "unsubscribe": wordStop, "abmelden": wordStop, "abbestellen": wordStop,
	"start": wordStart, "unstop": wordStart,
	"person": wordPerson, "human": wordPerson, "mensch": wordPerson, "a person": wordPerson, "mitarbeiter": wordPerson,
	"/delete": wordErase, "/erase": wordErase, "/löschen": wordErase, "/loeschen": wordErase,
	"delete my data": wordErase, "meine daten löschen": wordErase, "löscht meine daten": wordErase,
}

// atBot is what some messengers write behind a command in which an account is named.
var atBot = regexp.MustCompile(`@\w+$`)

// wordOf is the word that a message begins with, alone on its first line. What is quoted, passed on or pressed is none.
func wordOf(m Inbound) word {
	if m.Press != nil || m.Forward {
		return wordNone
	}
	text := strings.TrimSpace(m.Text)
	if text == "" {
		text = m.Subject
	}
	line, _, _ := strings.Cut(text, "\n")
	line = strings.ToLower(strings.TrimRight(strings.TrimSpace(line), ".!"))
	if strings.HasPrefix(line, "/") {
		line = atBot.ReplaceAllString(line, "")
	}
	if w, is := words[line]; is {
		return w
	}
	if w := words[strings.TrimPrefix(line, "/")]; w != wordErase { // which takes the slash, so that nobody says it by chance
		return w
	}
	return wordNone
}

// common are words that nearly every message of a language holds and the other languages do not have.
var common = map[string]map[string]bool{
	"de": set("ich wir sie ist sind und oder nicht ein eine einen der das den dem mit für auf haben hat kann können bitte danke hallo " +
		"guten tag wann wie wo was ihr ihre mein meine noch auch von zu zum zur bei im"),
	"en": set("i we you is are and or not a an the with for on have has can could please thanks hello hi when how where what your my " +
		"also of to at do does would there it this"),
}

func set(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

// languageOf is the language of a text, as far as it can be told from its most common words; empty: it cannot.
func languageOf(text string) string {
	hits := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		for language, all := range common {
			if all[w] {
				hits[language]++
			}
		}
	}
	switch {
	case hits["de"] > hits["en"]:
		return "de"
	case hits["en"] > hits["de"]:
		return "en"
	}
	return ""
}
