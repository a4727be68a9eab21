package channel

import (
	"strings"
	"testing"
)

// TestWordOf: a word counts alone on the first line, in either language, and never out of what is quoted, passed on or within a sentence.
func TestWordOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]word{
		"STOP": wordStop, " stopp. ": wordStop, "/stop@shop_bot": wordStop, "Abmelden!": wordStop, "Stop\n-- \nSam": wordStop,
		"start": wordStart, "/start": wordStart, "PERSON": wordPerson, "Mensch": wordPerson, "/human": wordPerson,
		"/delete": wordErase, "/Löschen": wordErase, "Delete my data.": wordErase,
		"delete": wordNone, "stop it": wordNone, "Please stop": wordNone, "When does the sale start": wordNone, "": wordNone,
		"> stop": wordNone, "a person called": wordNone,
	} {
		if got := wordOf(Inbound{Text: text}); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if wordOf(Inbound{Subject: "STOP"}) != wordStop || wordOf(Inbound{Subject: "STOP", Text: "no"}) != wordNone {
		t.Error("a subject counts beside a text, or not without one")
	}
	if wordOf(Inbound{Text: "/delete", Forward: true}) != wordNone || wordOf(Inbound{Text: "/delete", Press: &Press{}}) != wordNone {
		t.Error("what is passed on or pressed counts")
	}
}

// TestLanguageOf: the language is told from common words, and not guessed from few.
func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Wann haben Sie auf?": "de", "When do you open?": "en", "Hallo": "de", "Hello": "en", "Bonjour, avez-vous": "", "OK": "", "": "",
		"Ich möchte the blue one und eine Lampe für mein Zimmer": "de",
	} {
		if got := languageOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestSaidTo: every sentence is there in every language, in the alphabet of its language and short enough for every messenger.
func TestSaidTo(t *testing.T) {
	t.Parallel()
	for language, all := range saidTo {
		for p, text := range all {
			if text == "" || len(text) > 400 || strings.Contains(text, "%s") != (phrase(p) == saysMachine) {
				t.Errorf("%s %d: %q", language, p, text)
			}
			if phrase(p) != saysMachine && !isStrangerText(text) {
				t.Errorf("%q would be asked about", text)
			}
		}
	}
	if isStrangerText("You are talking to an AI assistant of Example.") {
		t.Error("what holds a name goes out without a question")
	}
}
