package rehearsal

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// reportHead begins the turn in which the runtime tells of sub-agents.
const reportHead = "[Report of sub-agents"

// How people ask for several things at once, for one that needs another, and for one that need not be waited for.
var (
	both = []*lazyre.Regexp{
		lazyre.MustCompile(`(?is)^(?P<one>.+?)[,;]? and (?:also|at the same time) (?P<two>.+)$`),
		lazyre.MustCompile(`(?is)^(?P<one>.+?)[,;]? und (?:außerdem|gleichzeitig|auch) (?P<two>.+)$`),
	}
	thenNote = []*lazyre.Regexp{
		lazyre.MustCompile(`(?is)^(?P<one>.+?)[,;]? (?:and )?then ` +
			`(?:write|note|save) (?:it|that|the answer|the result)(?: down)? (?:in|into|to) (?P<two>\S+?)[.]?$`),
		lazyre.MustCompile(`(?is)^(?P<one>.+?)[,;]? (?:und )?(?:schreib\w*|notier\w*) ` +
			`(?:es|das|das ergebnis)(?: dann| danach)? (?:in|nach) (?P<two>\S+?)(?: auf)?[.]?$`),
	}
	apart = lazyre.MustCompile(`(?is)^(?:please |bitte )?(?:in the background|im hintergrund)[:,]? (?P<one>.+)$`)
	// An entry of a report: who, how it stands, the task, and the result up to the next entry.
	entry = lazyre.MustCompile(`(?m)^\d+\. \S+ \(([a-z0-9-]+), ([a-z_]+)\): (.*)$`)
)

// parts reads a task that two colleagues do, if it is one.
func parts(forms []*lazyre.Regexp, task string) (one, two string, ok bool) {
	for _, form := range forms {
		if m := form.FindStringSubmatch(strings.TrimSpace(task)); m != nil {
			return strings.TrimSpace(m[1]), strings.TrimSpace(m[2]), true
		}
	}
	return "", "", false
}

// colleagueFor is who does a part of a task; empty: nobody knows how.
func (t turn) colleagueFor(task string) string {
	part := t
	part.task, part.files, part.line = task, nil, ""
	_, colleague := wishOf(part).needs()
	if !t.mates[colleague] {
		return ""
	}
	return colleague
}

// teamwork is what the front desk does with a task for several, or for later; false when it is none.
func teamwork(t turn) (move, bool) {
	if !t.has["agent_dispatch"] {
		return move{}, false
	}
	if m := apart.FindStringSubmatch(strings.TrimSpace(t.task)); m != nil && t.has["subagent_spawn"] {
		return t.beside(m[1]), true
	}
	if one, path, ok := parts(thenNote, t.task); ok && t.colleagueFor(one) != "" {
		return t.inOrder(one, path), true
	}
	if one, two, ok := parts(both, t.task); ok && t.colleagueFor(one) != "" && t.colleagueFor(two) != "" {
		return t.sideBySide(one, two), true
	}
	return move{}, false
}

// beside begins a sub-agent.
func (t turn) beside(task string) move {
	who := t.colleagueFor(task)
	if who == "" {
		return move{text: t.in("I do not know who could do that in the background. "+intro,
			"Ich weiß nicht, wer das im Hintergrund tun könnte. "+introGerman)}
	}
	begun := t.used("subagent_spawn")
	if len(begun) == 0 {
		return move{
			text: t.in("I have that done in the background.", "Das lasse ich im Hintergrund erledigen."),
			uses: []use{{"subagent_spawn", map[string]string{"agent": who, "task": task}}},
		}
	}
	if state, _ := notDone(begun[0].text); state != "" {
		return move{text: refusalText(t, begun[0].text)}
	}
	return move{text: t.in("The "+t.nameOf(who)+" is at it. The report comes here by itself.",
		t.nameOf(who)+" ist daran. Der Bericht kommt von selbst hierher.")}
}

// sideBySide hands two parts on at once, and answers both together.
func (t turn) sideBySide(one, two string) move {
	first, second := t.colleagueFor(one), t.colleagueFor(two)
	done := t.used("agent_dispatch")
	if len(done) < 2 {
		return move{
			text: t.in("I hand on both parts at once.", "Ich gebe beide Teile gleichzeitig weiter."),
			uses: []use{
				{"agent_dispatch", map[string]string{"target": first, "task": one}},
				{"agent_dispatch", map[string]string{"target": second, "task": two}},
			},
		}
	}
	return move{text: t.in("Both parts together:", "Beide Teile zusammen:") +
		t.section(first, one, done[0].text) + t.section(second, two, done[1].text)}
}

// inOrder has a first part done, and its result written down by the colleague who writes.
func (t turn) inOrder(one, path string) move {
	first, writer := t.colleagueFor(one), "secretary"
	done := t.used("agent_dispatch")
	if len(done) == 0 {
		return move{
			text: t.in("First the "+t.nameOf(first)+", then the "+t.nameOf(writer)+" with the result.",
				"Zuerst: "+t.nameOf(first)+", dann mit dem Ergebnis: "+t.nameOf(writer)+"."),
			uses: []use{{"agent_dispatch", map[string]string{"target": first, "task": one}}},
		}
	}
	if state, _ := notDone(done[0].text); state != "" {
		return move{text: refusalText(t, done[0].text)}
	}
	if len(done) == 1 {
		result, _, _ := strings.Cut(firstParagraph(done[0].text), "\n")
		task := t.in("Write a note "+path+": ", "Schreibe eine Notiz "+path+": ") + plainText(result)
		return move{
			text: t.in("Now the note.", "Jetzt die Notiz."),
			uses: []use{{"agent_dispatch", map[string]string{"target": writer, "task": task}}},
		}
	}
	return move{text: t.in("Both steps together:", "Beide Schritte zusammen:") +
		t.section(first, one, done[0].text) + t.section(writer, path, done[1].text)}
}

// plainText is a line without the marks of Markdown.
func plainText(s string) string { return strings.NewReplacer("*", "", "`", "", "\"", "'").Replace(s) }

// section is what one colleague reports, below their name.
func (t turn) section(who, task, report string) string {
	text := firstParagraph(report)
	if state, why := notDone(report); state != "" {
		text = t.in("No result. ", "Kein Ergebnis. ") + firstParagraph(why)
	}
	return "\n\n**" + t.nameOf(who) + "** (" + task + ")\n\n" + text
}

// reportSkill passes on what sub-agents have found, all together.
func reportSkill(t turn) move {
	body, _, _ := strings.Cut(t.task, "\n\nTell the owner what came of it")
	at := entry.FindAllStringSubmatchIndex(body, -1)
	said := ""
	for i, m := range at {
		end := len(body)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		said += " " + body[m[6]:m[7]] + body[m[1]:end]
	}
	t.german = isGerman(said)
	text := t.in("This was done in the background:", "Das wurde im Hintergrund erledigt:")
	for i, m := range at {
		end := len(body)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		text += t.section(body[m[2]:m[3]], body[m[6]:m[7]], strings.TrimSpace(body[m[1]:end]))
	}
	return move{text: text}
}
