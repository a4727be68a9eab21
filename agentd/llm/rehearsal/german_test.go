package rehearsal_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/phrase"
	"gatehouse/agentd/team"
)

// TestStarters: what pages offer to begin with is understood in each language, and answered in it.
func TestStarters(t *testing.T) {
	t.Parallel()
	all := starters(t)
	if len(all) < 5 {
		t.Fatalf("%v", all)
	}
	for _, english := range all {
		german, ok := phrase.Of("de").Say(english)
		if !ok {
			t.Errorf("%q has no German", english)
		}
		for _, task := range []string{english, german} {
			k := talk{tools: append(admin, "message", "schedule_create", "team_report"), answer: always("[denied] A person denied this.")}
			said := k.run(t, task)
			if len(k.calls) == 0 || task == german != strings.Contains(said, "abgelehnt") {
				t.Errorf("%q: %v, %q", task, k.calls, said)
			}
		}
	}
}

// starters are those of the agents that every server begins with.
func starters(t *testing.T) (all []string) {
	t.Helper()
	dir := t.TempDir()
	if err := team.Install(dir); err != nil {
		t.Fatal(err)
	}
	crew, err := team.Load(dir, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range crew.Agents() {
		all = append(all, a.Starters...)
	}
	return all
}

// TestLanguage: the answer is in the language of the message, however short that is.
func TestLanguage(t *testing.T) {
	t.Parallel()
	for task, german := range map[string]bool{
		"Hallo": true, "Hilfe!": true, "Was kannst du?": true, "Führe uptime aus": true, "Guten Tag": true, "Hi": false,
		"hello there": false, "What can you do?": false, "Delete die.txt": false, "Write a note: der Termin ist am Montag": true,
		"Write a note: „der Termin ist am Montag“": false,
	} {
		k := talk{tools: admin, answer: always("[failed] no")}
		if said := k.run(t, task); strings.Contains(said, "Übungsmodell") != german && strings.Contains(said, "Das ging nicht") != german {
			t.Errorf("%q: %q", task, said)
		}
	}
}

// TestColleagues_german: colleagues are asked, and called, by their German names.
func TestColleagues_german(t *testing.T) {
	t.Parallel()
	k := talk{tools: dispatcher, system: mates, answer: always("Die Festplatte ist voll.")}
	said := k.run(t, "Frag die IT-Betreuung: Wie voll ist die Festplatte?")
	if !strings.HasPrefix(said, "IT-Betreuung berichtet:") || len(k.calls) != 1 || !strings.Contains(k.calls[0], `"target":"it-admin"`) {
		t.Errorf("%q %v", said, k.calls)
	}
}
