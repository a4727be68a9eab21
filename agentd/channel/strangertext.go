package channel

import "gatehouse/agentd/wire"

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
		saysMachine: "You are talking to an AI assistant of %s. Write PERSON to reach a person, STOP to get no more messages, and " +
			"/delete to have your data deleted.",
		saysNameless: "You are talking to an AI assistant of this business. Write PERSON to reach a person, STOP to get no more " +
			"messages, and /delete to have your data deleted.",
		saysHello: "Hello! You are talking to an AI assistant of this business. Just write what you need. Write PERSON to reach a " +
			"person, STOP to get no more messages, and /delete to have your data deleted.",
		saysOut:    "You get no more messages from us here. Write START when you want to go on.",
		saysBack:   "You get answers again. They come from an AI assistant; write PERSON to reach a person.",
		saysHanded: "I have told a person of the business, who will get back to you here. Until then the AI assistant is silent.",
		saysErasing: "What you wrote here, your files and who you are is now being deleted. What stays is the record that " +
			"messages came and went and when, without what they said.",
		saysUnsure: "It is not certain that this message is from you, so nothing was deleted. A person of the business has been told.",
		saysEnough: "You have written more than the AI assistant can answer for now. Try again later, or write PERSON to reach a " +
			"person.",
		saysUnable: "The AI assistant cannot answer right now. Write PERSON to reach a person.",
	},
	"de": {
		saysMachine: "Sie schreiben mit einem KI-Assistenten von %s. Schreiben Sie MENSCH, um einen Menschen zu erreichen, STOPP, " +
			"um keine Nachrichten mehr zu bekommen, und /löschen, um Ihre Daten löschen zu lassen.",
		saysNameless: "Sie schreiben mit einem KI-Assistenten dieses Unternehmens. Schreiben Sie MENSCH, um einen Menschen zu " +
			"erreichen, STOPP, um keine Nachrichten mehr zu bekommen, und /löschen, um Ihre Daten löschen zu lassen.",
		saysHello: "Guten Tag! Sie schreiben mit einem KI-Assistenten dieses Unternehmens. Schreiben Sie einfach, was Sie " +
			"brauchen. MENSCH holt einen Menschen, STOPP beendet alle Nachrichten, und /löschen lässt Ihre Daten löschen.",
		saysOut:  "Sie bekommen hier keine Nachrichten mehr von uns. Schreiben Sie START, wenn Sie weitermachen möchten.",
		saysBack: "Sie bekommen wieder Antworten. Sie kommen von einem KI-Assistenten; MENSCH holt einen Menschen.",
		saysHanded: "Ich habe einem Menschen im Unternehmen Bescheid gegeben, der sich hier meldet. Bis dahin schweigt der " +
			"KI-Assistent.",
		saysErasing: "Was Sie hier geschrieben haben, Ihre Dateien und wer Sie sind, wird jetzt gelöscht. Es bleibt der Nachweis, " +
			"dass und wann Nachrichten kamen und gingen, ohne ihren Inhalt.",
		saysUnsure: "Es ist nicht sicher, dass diese Nachricht von Ihnen ist. Es wurde nichts gelöscht. Ein Mensch im Unternehmen " +
			"weiß Bescheid.",
		saysEnough: "Sie haben mehr geschrieben, als der KI-Assistent gerade beantworten kann. Versuchen Sie es später wieder, " +
			"oder schreiben Sie MENSCH, um einen Menschen zu erreichen.",
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
