package rehearsal_test

import (
	"strings"
	"testing"
)

const twoMates = "Your colleagues, by id:\n- it-admin (IT admin): computers\n- secretary (Secretary): letters"

// TestTeamwork: what two colleagues can do at once goes to both in one step, and is answered together.
func TestTeamwork_sideBySide(t *testing.T) {
	t.Parallel()
	for task, want := range map[string][2]string{
		"How full is the disk, and also which files are in invoices?": {"How full is the disk", "which files are in invoices?"},
		"Wie voll ist die Festplatte, und außerdem welche Dateien sind in invoices?": {
			"Wie voll ist die Festplatte", "welche Dateien sind in invoices?",
		},
	} {
		k := talk{tools: []string{"agent_dispatch"}, system: twoMates, answer: func(_ string, args map[string]string) string {
			return "report on " + args["task"]
		}}
		said := k.run(t, task)
		if len(k.calls) != 2 || len(k.said) != 2 {
			t.Fatalf("%q: %q, %q", task, k.calls, said)
		}
		for i, part := range want {
			if !strings.Contains(k.calls[i], part) || !strings.Contains(said, "report on "+part) {
				t.Errorf("%q: %q, %q", task, k.calls, said)
			}
		}
	}
}

// TestTeamwork_inOrder: the second colleague gets the result of the first.
func TestTeamwork_inOrder(t *testing.T) {
	t.Parallel()
	for _, task := range []string{
		"How full is the disk? Then write it into notes/disk.txt", "Wie voll ist die Festplatte, und schreib das in notes/disk.txt",
	} {
		k := talk{tools: []string{"agent_dispatch"}, system: twoMates, answer: func(_ string, args map[string]string) string {
			if args["target"] == "secretary" {
				return "It is in notes/disk.txt."
			}
			return "The disk is **41 %** full.\n\nMore."
		}}
		said := k.run(t, task)
		if len(k.calls) != 2 || !strings.Contains(k.calls[1], "notes/disk.txt: The disk is 41 % full.") ||
			!strings.Contains(said, "It is in notes/disk.txt.") || !strings.Contains(said, "**41 %**") {
			t.Errorf("%q: %q, %q", task, k.calls, said)
		}
		note := talk{tools: secretary, answer: always("Written.")}
		if note.run(t, "Write a note notes/disk.txt: The disk is 41 % full."); len(note.calls) != 1 ||
			!strings.Contains(note.calls[0], `"path":"notes/disk.txt"`) || !strings.Contains(note.calls[0], "The disk is 41 % full.") {
			t.Errorf("%q", note.calls)
		}
	}
}

// TestTeamwork_failed: what one colleague could not do is said beside what the other did.
func TestTeamwork_failed(t *testing.T) {
	t.Parallel()
	k := talk{tools: []string{"agent_dispatch"}, system: twoMates, answer: func(_ string, args map[string]string) string {
		if strings.Contains(args["task"], "disk") {
			return "[failed] IT admin could not finish: Stopped."
		}
		return "There are 3 files."
	}}
	said := k.run(t, "How full is the disk, and also which files are in invoices?")
	if !strings.Contains(said, "No result. IT admin could not finish") || !strings.Contains(said, "There are 3 files.") {
		t.Errorf("%q", said)
	}
}

// TestBackground: a sub-agent is begun, nothing is waited for, and its report is passed on in the language of its task.
func TestBackground(t *testing.T) {
	t.Parallel()
	for task, want := range map[string][2]string{
		"In the background: which files are in invoices?":  {"The report comes here by itself", "This was done in the background"},
		"Im Hintergrund: Welche Dateien sind in invoices?": {"Der Bericht kommt von selbst", "Das wurde im Hintergrund erledigt"},
	} {
		k := talk{tools: []string{"agent_dispatch", "subagent_spawn"}, system: twoMates, answer: always("Begun. Its id is 1.")}
		said := k.run(t, task)
		if len(k.calls) != 1 || !strings.HasPrefix(k.calls[0], "subagent_spawn ") || !strings.Contains(k.calls[0], `"agent":"it-admin"`) ||
			!strings.Contains(said, want[0]) {
			t.Errorf("%q: %q, %q", task, k.calls, said)
		}
		_, part, _ := strings.Cut(task, ": ")
		report := "[Report of sub-agents, by the runtime, not by the owner]\n\n1. 01 (it-admin, completed): " + part +
			"\ninvoices/1.txt\n\n2. 02 (secretary, failed): " + part +
			"\nIt has no result.\n\nTell the owner what came of it, all together."
		k = talk{tools: []string{"agent_dispatch"}, system: twoMates, answer: always("")}
		said = k.run(t, report)
		if len(k.calls) != 0 || !strings.Contains(said, want[1]) || !strings.Contains(said, "invoices/1.txt") ||
			!strings.Contains(said, "It has no result.") || strings.Contains(said, "Tell the owner") {
			t.Errorf("%q: %q", report, said)
		}
	}
}

// TestBriefing: what happened is read from the records, and said in the language of the question.
func TestBriefing(t *testing.T) {
	t.Parallel()
	const report = "Since Sun 29 November 18:00.\n\nDone:\n- it-admin: 2 done\n\nWaits for the owner:\n- nothing\n\nComing:\n- nothing\n"
	for task, want := range map[string][2]string{
		"Give me the morning briefing": {"**Waits for you**", "it-admin: 2 done"}, "What did the team do?": {"**Coming**", "- nothing"},
		"Gib mir den Morgenbericht":    {"**Wartet auf Sie**", "it-admin: 2 erledigt"},
		"Was ist über Nacht passiert?": {"**Kommt**", "- nichts"},
	} {
		k := talk{tools: []string{"agent_dispatch", "team_report"}, system: twoMates, answer: always(report)}
		said := k.run(t, task)
		if len(k.calls) != 1 || !strings.HasPrefix(k.calls[0], "team_report ") ||
			!strings.Contains(said, want[0]) || !strings.Contains(said, want[1]) {
			t.Errorf("%q: %q, %q", task, k.calls, said)
		}
	}
	k := talk{tools: []string{"schedule_create"}, answer: always("Planned: it. Due daily at 08:00. Its id is 01.")}
	if k.run(t, "Every day at 8 give me the morning briefing"); len(k.calls) != 1 || !strings.Contains(k.calls[0], "morning briefing") {
		t.Errorf("%q", k.calls)
	}
}
