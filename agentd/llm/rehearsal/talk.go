package rehearsal

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

const (
	intro       = "I am the rehearsal model: a stand-in without a language model behind it, so that you can try everything with no key. I understand a few requests and really carry them out with the team's tools."
	introGerman = "Ich bin das Übungsmodell: ein Stellvertreter ohne Sprachmodell dahinter, damit Sie alles ohne Schlüssel ausprobieren können. Ich verstehe einige Bitten und führe sie mit den Werkzeugen des Teams wirklich aus."
)

// What a long answer is made of, one paragraph a line.
var (
	//go:embed long/en.txt
	longText string
	//go:embed long/de.txt
	longGerman string
)

// abilities are what it can do, by the tool that it takes.
var abilities = []struct{ tool, en, de string }{
	{"shell", "“How full is the disk?”, “Run `uptime`”", "„Wie voll ist die Festplatte?“, „Führe uptime aus“"},
	{"file_delete", "“Delete the old temporary files”, “Delete notes/to-do.txt”", "„Lösche die alten temporären Dateien“"},
	{"file_list", "“Which files are in invoices?”", "„Welche Dateien sind in invoices?“"},
	{"attach", "“Send me the file notes/opening-hours.txt”", "„Schick mir die Datei notes/opening-hours.txt“"},
	{"file_read", "“Read notes/opening-hours.txt”", "„Lies notes/opening-hours.txt“"},
	{
		"file_write",
		"“Write a note: call the accountant on Monday”, “Add a line to notes/to-do.txt: buy milk”, “Put the demo files back”",
		"„Schreibe eine Notiz: Steuerberater am Montag anrufen“, „Ergänze Milch kaufen in notes/to-do.txt“, „Lege die Demodateien wieder an“",
	},
	{
		"message",
		"“Email someone@example.com that we open at nine”",
		"„Schreibe eine Mail an someone@example.com, dass wir um neun öffnen“",
	},
	{
		"schedule_create",
		"“Remind me tomorrow at 9 to call the tax office”, “Every Monday at 8 tell me how full the disk is”, “What is planned?”",
		"„Erinnere mich morgen um 9 daran, das Finanzamt anzurufen“, „Sag mir jeden Montag um 8, wie voll die Festplatte ist“, „Was " +
			"ist geplant?“",
	},
	{
		"memory_write",
		"“Remember that the key is with the neighbour”, “What do you know about the key?”",
		"„Merk dir, dass der Schlüssel beim Nachbarn ist“, „Was weißt du über den Schlüssel?“",
	},
	{
		"agent_dispatch",
		"“How full is the disk, and also which files are in invoices?”, “How full is the disk? Then write it into notes/disk.txt”",
		"„Wie voll ist die Festplatte, und außerdem welche Dateien sind in invoices?“, " +
			"„Wie voll ist die Festplatte, und schreib das in notes/disk.txt“",
	},
	{"team_report", "“Give me the morning briefing”, “Every day at 8 give me the morning briefing”", "„Gib mir den Morgenbericht“"},
	{"subagent_spawn", "“In the background: which files are in invoices?”", "„Im Hintergrund: Welche Dateien sind in invoices?“"},
	{"agent_dispatch", "“Ask the secretary to write a note: …”", "„Frag die IT-Betreuung: Wie voll ist die Festplatte?“"},
	{"", "“Give me a long answer” (to try Stop)", "„Gib mir eine lange Antwort“ (um Stop auszuprobieren)"},
}

// helpSkill says what it is and what it can do, itself or through a colleague.
func helpSkill(t turn) move {
	lines := []string{t.in(intro, introGerman), "", t.in("You can write, for example:", "Schreiben Sie zum Beispiel:")}
	for _, a := range abilities {
		if a.tool == "" || t.has[a.tool] || t.has["agent_dispatch"] {
			lines = append(lines, "- "+t.in(a.en, a.de))
		}
	}
	lines = append(lines, "", t.in("For everything else, connect a model: set MODEL_BASE_URL, MODEL_NAME and, if it needs one, MODEL_API_KEY.",
		"Für alles andere verbinden Sie ein Modell: MODEL_BASE_URL, MODEL_NAME und, falls nötig, MODEL_API_KEY."))
	return move{text: strings.Join(lines, "\n")}
}

func runSkill(t turn) move {
	command := commandIn(t.task)
	ran := t.used("shell")
	if len(ran) == 0 {
		return move{text: t.in("I ask to run `"+command+"`.", "Ich möchte `"+command+"` ausführen."), uses: []use{{"shell", map[string]string{"command": command}}}}
	}
	out := ran[len(ran)-1].text
	if state, _ := notDone(out); state != "" {
		return move{text: refusalText(t, out)}
	}
	return move{text: t.in("`"+command+"` answered:\n", "`"+command+"` hat geantwortet:\n") + fenced(cutLines(firstParagraph(out), 60)) + edited(t, out)}
}

// commandIn is the command of a task: what stands in backticks, else all that follows the word for running.
func commandIn(task string) string {
	if m := backticks.FindStringSubmatch(task); m != nil {
		return m[1]
	}
	m := run.FindStringSubmatch(task)
	if m == nil {
		return strings.TrimSpace(task)
	}
	command := strings.Trim(strings.TrimSpace(m[1]), "\"“”„'")
	if !strings.HasSuffix(command, " .") { // the dot that ends a sentence, not the folder
		command = strings.TrimSuffix(command, ".")
	}
	return strings.TrimSuffix(strings.TrimSuffix(command, " aus"), " please")
}

// longSkill talks for a while, so that Stop has something to stop.
func longSkill(t turn) move {
	var b strings.Builder
	b.WriteString(t.in("Here is a long answer; press Stop whenever you like.", "Hier ist eine lange Antwort; drücken Sie Stop, wann immer Sie mögen."))
	said := strings.Split(strings.TrimSpace(t.in(longText, longGerman)), "\n")
	for i := range 60 {
		fmt.Fprintf(&b, "\n\n%d. %s", i+1, said[i%len(said)])
	}
	b.WriteString(t.in("\n\nThat was all of it.", "\n\nDas war alles."))
	return move{text: b.String()}
}

// offer is the sentence that offers to put the demo files back.
func offer(t turn) string {
	return t.in("If the demo files are gone, write “put the demo files back” and I write them again.", "Wenn die Demodateien fehlen, schreiben Sie „Lege die Demodateien wieder an“, dann tue ich es.")
}

// joined lists a few names in words.
func joined(names []string, most int) string {
	slices.Sort(names)
	if len(names) > most {
		return "`" + strings.Join(names[:most], "`, `") + fmt.Sprintf("` and %d more", len(names)-most)
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
