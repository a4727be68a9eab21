package rehearsal

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// How people ask for something later: a time, and what is to be done then.
var (
	remindMe = []*lazyre.Regexp{
		lazyre.MustCompile(`(?is)^(?:please )?remind me to (?P<task>.+?) ` +
			`(?P<when>(?:tomorrow|today|tonight|in \d+|in an?|on|at|next|every)\b.*)$`),
		lazyre.MustCompile(`(?is)^(?:please )?remind me (?P<when>.+?),? (?:to|that|about) (?P<task>.+)$`),
		lazyre.MustCompile(`(?is)^erinner\w* mich (?:bitte )?(?P<when>.+?),? (?:daran|an|dass),? (?P<task>.+)$`),
	}
	again = []*lazyre.Regexp{
		lazyre.MustCompile(`(?is)^(?P<when>(?:every|each|daily)\b.+?),? ` +
			`(?P<task>(?:tell|say|give|report|check|look|show|write|list)\b.+)$`),
		lazyre.MustCompile(`(?is)^(?:bitte )?(?P<word>sag mir|zeig mir|gib mir|berichte mir) ` +
			`(?P<when>(?:jede|alle|täglich)\b?.+?), (?P<task>.+)$`),
		lazyre.MustCompile(`(?is)^(?P<when>(?:jede[nrs]?|alle|täglich)\b.+?),? (?P<task>(?:sag|zeig|berichte|prüfe|schau)\b.+)$`),
	}
	planned = lazyre.MustCompile(`(?i)\b(what is planned|what's planned|my reminders|` +
		`list (?:the |my )?(?:reminders|schedules)|was ist geplant|meine erinnerungen)\b`)
	dueIs = lazyre.MustCompile(`(?s)^Planned: .*\. Due (.+)\. Its id is \S+\.$`)
)

// plan is what a task asks to do later.
type plan struct {
	when, task string
	remind     bool
}

// planOf reads what a task asks to do later; false when it is for now.
func planOf(task string) (plan, bool) {
	for i, form := range append(append([]*lazyre.Regexp{}, remindMe...), again...) {
		m := form.FindStringSubmatch(strings.TrimSpace(task))
		if m == nil {
			continue
		}
		p := plan{remind: i < len(remindMe)}
		for n, name := range form.SubexpNames() {
			switch name {
			case "when":
				p.when = m[n]
			case "task":
				p.task += strings.TrimRight(m[n], ".!")
			case "word":
				p.task = m[n] + ", "
			}
		}
		return p, true
	}
	return plan{}, false
}

// planSkill plans something, and says when it will be.
func planSkill(t turn) move {
	p, _ := planOf(t.task)
	made := t.used("schedule_create")
	if len(made) == 0 {
		return move{
			text: t.in("I note that.", "Das merke ich vor."),
			uses: []use{{"schedule_create", map[string]any{"when": p.when, "task": p.task, "remind": p.remind}}},
		}
	}
	out := made[len(made)-1].text
	if question, _, asks := strings.Cut(strings.TrimPrefix(out, "[denied] "), " Ask the owner,"); asks {
		return move{text: question}
	}
	if state, _ := notDone(out); state != "" {
		return move{text: refusalText(t, out)}
	}
	when := firstParagraph(out)
	if m := dueIs.FindStringSubmatch(when); m != nil {
		when = m[1]
	}
	return move{text: t.in("Noted: **"+p.task+"**\n\nDue "+when+".", "Vorgemerkt: **"+p.task+"**\n\nFällig: "+when+".")}
}

// plannedSkill says what is planned.
func plannedSkill(t turn) move {
	looked := t.used("schedule_list")
	if len(looked) == 0 {
		return move{text: t.in("I look at what is planned.", "Ich sehe nach, was geplant ist."), uses: []use{{
			"schedule_list",
			map[string]any{},
		}}}
	}
	out := looked[len(looked)-1].text
	if state, _ := notDone(out); state != "" {
		return move{text: refusalText(t, out)}
	}
	return move{text: t.in("This is planned:\n\n", "Das ist geplant:\n\n") + firstParagraph(out)}
}
