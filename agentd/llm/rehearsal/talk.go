package rehearsal

import (
	"fmt"
	"slices"
	"strings"
)

const (
	intro       = "I am the rehearsal model: a stand-in without a language model behind it, so that you can try everything with no key. I understand a few requests and really carry them out with the team's tools."
	introGerman = "Ich bin das Übungsmodell: ein Stellvertreter ohne Sprachmodell dahinter, damit Sie alles ohne Schlüssel ausprobieren können. Ich verstehe einige Bitten und führe sie mit den Werkzeugen des Teams wirklich aus."
)

// abilities are what it can do, by the tool that it takes.
var abilities = []struct{ tool, en, de string }{
	{"shell", "“How full is the disk?”, “Run `uptime`”", "„Wie voll ist die Festplatte?“, „Führe `uptime` aus“"},
	{"file_delete", "“Delete the old temporary files”, “Delete notes/to-do.txt”", "„Lösche die alten temporären Dateien“"},
	{"file_list", "“Which files are in invoices?”", "„Welche Dateien sind in invoices?“"},
	{"file_read", "“Read notes/opening-hours.txt”", "„Lies notes/opening-hours.txt“"},
	{"file_write", "“Write a note: call the accountant on Monday”, “Add a line to notes/to-do.txt: buy milk”, “Put the demo files back”", "„Schreibe eine Notiz: Steuerberater am Montag anrufen“"},
	{"message", "“Email someone@example.com that we open at nine”", "„Schreibe eine Mail an someone@example.com, dass wir um neun öffnen“"},
	{"agent_dispatch", "“Ask the secretary to write a note: …”", "„Frag den it-admin: wie voll ist die Festplatte?“"},
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
	for i := range 60 {
		fmt.Fprintf(&b, "\n\n%d. %s", i+1, chapters[i%len(chapters)])
	}
	b.WriteString("\n\nThat was all of it.")
	return move{text: b.String()}
}

var chapters = []string{
	"Each message becomes a run with a number of its own. It is on the disk before anyone says so, and it waits its turn: one run at a time in a conversation, a few at once on the server.",
	"The run asks a model what to do next. The model sees the conversation, the rules of the agent and the tools that this agent may use, and nothing else.",
	"A tool call is not an act. It goes to the gate, which looks at what the call would really do: read something, change something, reach someone outside, destroy something.",
	"What only reads may run at once. What destroys waits for a person, and what reaches someone outside waits for a person until the owner has unlocked that tool for that agent.",
	"The question to the person names the exact arguments and what was measured: how many files, how many bytes, which recipient. One changed byte makes it another question.",
	"Every step leaves a receipt, and each receipt carries the fingerprint of the one before it. Whoever changes one breaks the chain from there on.",
	"At the end the answer is held against the receipts. A sentence that claims more than they show is marked, whoever the writer is.",
}

// offer is the sentence that offers to put the demo files back.
func offer(t turn) string {
	return t.in("If the demo files are gone, write “put the demo files back” and I write them again.", "Wenn die Demodateien fehlen, schreiben Sie „put the demo files back“, dann lege ich sie wieder an.")
}

// joined lists a few names in words.
func joined(names []string, most int) string {
	slices.Sort(names)
	if len(names) > most {
		return "`" + strings.Join(names[:most], "`, `") + fmt.Sprintf("` and %d more", len(names)-most)
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
