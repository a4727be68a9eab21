package channel

import (
	"regexp"
	"strings"
	"unicode"

	"gatehouse/agentd/wire"
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
	"de": set("ich wir sie ist sind und oder nicht ein eine einen der das den dem mit für auf haben hat kann können bitte danke hallo guten " +
		"tag wann wie wo was ihr ihre mein meine noch auch von zu zum zur bei im"),
	"en": set("i we you is are and or not a an the with for on have has can could please thanks hello hi when how where what your my also of " +
		"to at do does would there it this"),
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

// The sentences that strangers read and no agent has written.
type phrase int

const (
	saysMachine  phrase = iota // above their first answer; %s is the business
	saysNameless               // likewise, where it has no name
	saysHello                  // to who only says that they are there
	saysOut                    // they get nothing more
	saysBack                   // they get messages again
	saysHanded                 // a person is told
	saysErasing                // what is kept is being deleted
	saysUnsure                 // nobody knows whether it was them
	saysEnough                 // they wrote too much
	saysUnable                 // the agent has no answer
	phrases
)

var saidTo = map[string][phrases]string{
	"en": {
		saysMachine: "You are talking to an AI assistant of %s. Write PERSON to reach a person, STOP to get no more messages, and /delete to " +
			"have your data deleted.",
		saysNameless: "You are talking to an AI assistant of this business. Write PERSON to reach a person, STOP to get no more messages, and " +
			"/delete to have your data deleted.",
		saysHello: "Hello! You are talking to an AI assistant of this business. Just write what you need. Write PERSON to reach a person, STOP to " +
			"get no more messages, and /delete to have your data deleted.",
		saysOut:    "You get no more messages from us here. Write START when you want to go on.",
		saysBack:   "You get answers again. They come from an AI assistant; write PERSON to reach a person.",
		saysHanded: "I have told a person of the business, who will get back to you here. Until then the AI assistant is silent.",
		saysErasing: "What you wrote here, your files and who you are is now being deleted. What stays is the record that messages came and went " +
			"and when, without what they said.",
		saysUnsure: "It is not certain that this message is from you, so nothing was deleted. A person of the business has been told.",
		saysEnough: "You have written more than the AI assistant can answer for now. Try again later, or write PERSON to reach a person.",
		saysUnable: "The AI assistant cannot answer right now. Write PERSON to reach a person.",
	},
	"de": {
		saysMachine: "Sie schreiben mit einem KI-Assistenten von %s. Schreiben Sie MENSCH, um einen Menschen zu erreichen, STOPP, um keine " +
			"Nachrichten mehr zu bekommen, und /löschen, um Ihre Daten löschen zu lassen.",
		saysNameless: "Sie schreiben mit einem KI-Assistenten dieses Unternehmens. Schreiben Sie MENSCH, um einen Menschen zu erreichen, STOPP, " +
			"um keine Nachrichten mehr zu bekommen, und /löschen, um Ihre Daten löschen zu lassen.",
		saysHello: "Guten Tag! Sie schreiben mit einem KI-Assistenten dieses Unternehmens. Schreiben Sie einfach, was Sie brauchen. MENSCH holt " +
			"einen Menschen, STOPP beendet alle Nachrichten, und /löschen lässt Ihre Daten löschen.",
		saysOut:    "Sie bekommen hier keine Nachrichten mehr von uns. Schreiben Sie START, wenn Sie weitermachen möchten.",
		saysBack:   "Sie bekommen wieder Antworten. Sie kommen von einem KI-Assistenten; MENSCH holt einen Menschen.",
		saysHanded: "Ich habe einem Menschen im Unternehmen Bescheid gegeben, der sich hier meldet. Bis dahin schweigt der KI-Assistent.",
		saysErasing: "Was Sie hier geschrieben haben, Ihre Dateien und wer Sie sind, wird jetzt gelöscht. Es bleibt der Nachweis, dass und wann " +
			"Nachrichten kamen und gingen, ohne ihren Inhalt.",
		saysUnsure: "Es ist nicht sicher, dass diese Nachricht von Ihnen ist. Es wurde nichts gelöscht. Ein Mensch im Unternehmen weiß Bescheid.",
		saysEnough: "Sie haben mehr geschrieben, als der KI-Assistent gerade beantworten kann. Versuchen Sie es später wieder, oder schreiben Sie " +
			"MENSCH, um einen Menschen zu erreichen.",
		saysUnable: "Der KI-Assistent kann gerade nicht antworten. Schreiben Sie MENSCH, um einen Menschen zu erreichen.",
	},
}

// says is a sentence in the language of a stranger, where it is known, else in that of the business.
func (s stranger) says(r row, p phrase) string {
	language := s.Language
	if language == "" {
		language = r.Strangers.Language
	}
	if language != wire.StrangerLanguage {
		language = "en"
	}
	return saidTo[language][p]
}

// isStrangerText says whether a text is one that strangers are sent and no agent has written.
func isStrangerText(text string) bool {
	for _, all := range saidTo {
		for p, one := range all {
			if phrase(p) != saysMachine && text == one {
				return true
			}
		}
	}
	return false
}
