package phrase

import "testing"

func TestBook(t *testing.T) {
	t.Parallel()
	b, err := New(map[string]string{
		"Nothing was changed.":      "Nichts wurde geändert.",
		"Line {1#}: {2}.":           "Zeile {1}: {2*}.",
		"Line {1#}: no tool {2}.":   "Zeile {1}: Das Werkzeug {2} gibt es nicht.",
		"Read {1}, {2}":             "{1} gelesen ({2})",
		"there is no such word":     "dieses Wort gibt es nicht",
		"{1} answered":              "{1} hat geantwortet",
		"An odd one. (It ends) {1}": "Seltsam {1}",
	})
	if err != nil {
		t.Fatal(err)
	}
	for english, want := range map[string]string{
		"Nothing was changed.":                   "Nichts wurde geändert.",
		"Line 3: there is no such word.":         "Zeile 3: dieses Wort gibt es nicht.",
		"Line x: there is no such word.":         "Line x: there is no such word.",
		"Line 3: no tool there is no such word.": "Zeile 3: Das Werkzeug there is no such word gibt es nicht.",
		"Line 3: no tool x.":                     "Zeile 3: Das Werkzeug x gibt es nicht.",
		"Read a.txt, 12 B":                       "a.txt gelesen (12 B)",
		"Read {1}, {2}":                          "{1} gelesen ({2})",
		"secretary answered":                     "secretary hat geantwortet",
		"two\nlines answered":                    "two\nlines hat geantwortet",
		"An odd one. (It ends) .*":               "Seltsam .*",
		"Nobody has translated this sentence":    "Nobody has translated this sentence",
		"":                                       "",
	} {
		got, ok := b.Say(english)
		if got != want || ok == (english == want && english != "Read {1}, {2}") {
			t.Errorf("%q: %q %t, want %q", english, got, ok, want)
		}
	}
	if got, ok := (Book{}).Say("x"); got != "x" || ok {
		t.Errorf("no book says %q", got)
	}
}

func TestNew_faults(t *testing.T) {
	t.Parallel()
	for from, to := range map[string]string{
		"{2} and {1}": "{1} und {2}", "Line {1}": "Zeile",
		"Line": "Zeile {1}", "{1} of {2}": "{1} von {1}", "{1}{3}": "{1}{3}", "{1*}": "{1}", "{1}": "{1#}",
	} {
		if _, err := New(map[string]string{from: to}); err == nil {
			t.Errorf("%q as %q was let through", from, to)
		}
	}
}

func FuzzSay(f *testing.F) {
	b, err := New(map[string]string{"Line {1}: {2}.": "Zeile {1}: {2}.", "{1} answered": "{1} hat geantwortet", "a": "b"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("Line 1: Line 2: a..")
	f.Fuzz(func(t *testing.T, english string) {
		if got, ok := b.Say(english); !ok && got != english {
			t.Errorf("%q became %q", english, got)
		}
	})
}

// TestOf: the words of the team that comes with a server are told in each language.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, locale := range Locales {
		if said, ok := Of(locale).Say("Looks after the server and its files"); !ok || said == "" {
			t.Errorf("%s: %q", locale, said)
		}
	}
	if _, ok := Of("en").Say("Read x"); ok {
		t.Error("English is put into another language")
	}
}

// TestCard: whatever a name, a command or a subject says, the signed text of a request still asks.
func TestCard(t *testing.T) {
	t.Parallel()
	for english, want := range map[string]string{
		"Run rm -rf archive answered":                       "Ausführen: rm -rf archive answered",
		"E-mail bob@example.com: Your question is answered": "E-Mail an bob@example.com: Your question is answered",
		"Read a, 5 b": "a, 5 b lesen",
		"Delete x. This run has read from outside: y": "x. This run has read from outside: y löschen",
		"Write 3 words of body":                       "3 words of body schreiben",
		"Run 1; 2 not deleted (x)":                    "Ausführen: 1; 2 not deleted (x)",
		"this cannot be undone, so a person is always asked. This run has read from outside: a.example": "Das lässt sich nicht " +
			"rückgängig machen, deshalb wird immer ein Mensch gefragt. In dieser Aufgabe wurde Inhalt von außen gelesen: a.example",
	} {
		if got, _ := Card("de").Say(english); got != want {
			t.Errorf("%q: %q, want %q", english, got, want)
		}
	}
	if got, ok := Card("de").Say("bob answered"); ok {
		t.Errorf("a card reports: %q", got)
	}
}
