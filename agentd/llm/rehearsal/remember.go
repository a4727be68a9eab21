package rehearsal

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

var (
	rememberTo = lazyre.MustCompile(`(?is)^\s*(?:please |bitte )?(?:remember|keep in mind|don't forget|merke? (?:dir|euch)|` +
		`merken sie sich|vergiss nicht)\b[\s,:]*(?:that |dass )?(.+)$`)
	knowsOf = lazyre.MustCompile(`(?is)^\s*(?:what do you (?:know|remember) (?:about|of)|do you (?:still )?(?:know|remember)|` +
		`was wei(?:ß|ss)t du (?:noch )?(?:über|von|zu)|wei(?:ß|ss)t du noch,?|erinnerst du dich an)\s+(.+?)[\s?.!]*$`)
)

// rememberSkill writes down for the whole team what it is told.
func rememberSkill(t turn) move {
	done := t.used("memory_write")
	if len(done) == 0 {
		text := strings.TrimSpace(rememberTo.FindStringSubmatch(t.task)[1])
		return move{
			text: t.in("I write that down for the team.", "Das schreibe ich für das Team auf."),
			uses: []use{{"memory_write", map[string]string{"text": text, "kind": "team"}}},
		}
	}
	out := done[len(done)-1].text
	if state, _ := notDone(out); state != "" {
		return move{text: refusalText(t, out)}
	}
	if !strings.HasPrefix(out, "Remembered") {
		return move{text: t.in("It is put aside until you have looked at it, on the page of memory.",
			"Es liegt auf der Seite Gedächtnis beiseite, bis Sie es angesehen haben.")}
	}
	return move{text: t.in("I will remember that, and so will the team. The page Memory shows it.",
		"Das merke ich mir, und das Team auch. Auf der Seite Gedächtnis steht es.")}
}

// recallSkill says what was written down about something, with where it comes from.
func recallSkill(t turn) move {
	got := t.used("memory_search")
	if len(got) == 0 {
		return move{
			text: t.in("I look into my memory.", "Ich sehe in meinem Gedächtnis nach."),
			uses: []use{{"memory_search", map[string]string{"query": knowsOf.FindStringSubmatch(t.task)[1]}}},
		}
	}
	out := got[len(got)-1].text
	if state, _ := notDone(out); state != "" {
		return move{text: refusalText(t, out)}
	}
	if strings.HasPrefix(out, "There is no note") {
		return move{text: t.in("Nothing is written down about that.", "Darüber ist nichts aufgeschrieben.")}
	}
	return move{text: t.in("This is what I know:\n\n", "Das weiß ich:\n\n") + cutLines(firstParagraph(out), 5)}
}
