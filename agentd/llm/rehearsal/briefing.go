package rehearsal

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// briefing is how people ask what the team did.
var briefing = lazyre.MustCompile(`(?i)\b(briefing|morgenbericht|what (?:happened|did (?:you|the team|everyone) do)|` +
	`was (?:ist|hat das team) .*(?:passiert|getan|gemacht))\b`)

// headings are the parts of the report in German.
var headings = strings.NewReplacer(
	"\nDone:", "\n**Erledigt**", "\nWaits for the owner:", "\n**Wartet auf Sie**", "\nComing:", "\n**Kommt**", "- nothing", "- nichts",
	"Dates of schedules that failed for good", "Endgültig gescheiterte Termine", "Since ", "Seit ", "(until ", "(bis ",
	" done", " erledigt", " failed", " gescheitert", " stopped", " gestoppt", " at work", " in Arbeit",
)

// briefingSkill says what the records say: what waits first, then what was done, then what is coming.
func briefingSkill(t turn) move {
	got := t.used("team_report")
	if len(got) == 0 {
		return move{
			text: t.in("I look at the records.", "Ich sehe in den Aufzeichnungen nach."), uses: []use{{"team_report", map[string]any{}}},
		}
	}
	out := got[len(got)-1].text
	if state, _ := notDone(out); state != "" {
		return move{text: refusalText(t, out)}
	}
	out = strings.TrimSpace(firstParagraph(out))
	if t.german {
		return move{text: "Ihr Bericht, aus den Aufzeichnungen. " + headings.Replace(out)}
	}
	return move{text: "Your briefing, from the records. " + strings.NewReplacer(
		"\nDone:", "\n**Done**", "\nWaits for the owner:", "\n**Waits for you**", "\nComing:", "\n**Coming**").Replace(out)}
}
