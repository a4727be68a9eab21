package rehearsal

import (
	"fmt"
	"strings"
)

// skills are what it does for each wish, given the tool for it.
var skills = map[wish]func(turn) move{
	wantDisk: diskSkill, wantTidy: tidySkill, wantDelete: deleteSkill, wantMail: mailSkill, wantNote: noteSkill, wantAppend: appendSkill,
	wantRead: readSkill, wantFile: fileSkill, wantList: listSkill, wantRun: runSkill, wantPutBack: putBackSkill, wantLong: longSkill,
	wantHelp:   helpSkill,
	wantReport: briefingSkill, wantPlan: planSkill, wantPlanned: plannedSkill,
	wantKeep: rememberSkill, wantRecall: recallSkill,
}

// next is what the model does with the turn as it stands.
func next(t turn) move {
	if t.checked != "" {
		return restate(t)
	}
	if strings.HasPrefix(t.task, reportHead) {
		return reportSkill(t)
	}
	if m, ok := teamwork(t); ok {
		return m
	}
	w := wishOf(t)
	if w == wantHand {
		return handSkill(t)
	}
	tool, colleague := w.needs()
	switch {
	case tool == "" || t.has[tool]:
		return skills[w](t)
	case t.has["agent_dispatch"]:
		return delegate(t, colleague, t.task)
	}
	return move{text: t.in(
		fmt.Sprintf("That needs the tool %s, which I do not have here. %s", tool, intro),
		fmt.Sprintf("Dafür braucht es das Werkzeug %s, das ich hier nicht habe. %s", tool, introGerman))}
}

// delegate hands a task to a colleague and passes the report on.
func delegate(t turn, colleague, task string) move {
	if !t.mates[colleague] {
		return move{text: t.in("There is no colleague "+colleague+" on this server who could do that.", "Es gibt auf diesem Server niemanden namens "+colleague+", der das kann.")}
	}
	done := t.used("agent_dispatch")
	if len(done) == 0 {
		return move{
			text: t.in("I hand this to the "+t.nameOf(colleague)+".", "Das gebe ich weiter: "+t.nameOf(colleague)+"."),
			uses: []use{{"agent_dispatch", map[string]string{"target": colleague, "task": task + t.line}}},
		}
	}
	report := done[len(done)-1].text
	if state, why := notDone(report); state != "" {
		return move{text: t.in("The "+t.nameOf(colleague)+" has no result. "+why, t.nameOf(colleague)+": kein Ergebnis. "+why)}
	}
	return move{text: t.in("The "+t.nameOf(colleague)+" reports:\n\n"+report, t.nameOf(colleague)+" berichtet:\n\n"+report)}
}

// names are what colleagues are called, in English within a sentence and in German at any place.
var names = map[string][2]string{
	"it-admin": {"IT admin", "IT-Betreuung"}, "secretary": {"secretary", "Sekretariat"}, "dispatcher": {"front desk", "Empfang"},
}

func (t turn) nameOf(colleague string) string {
	if of, ok := names[colleague]; ok {
		return t.in(of[0], of[1])
	}
	return strings.ReplaceAll(colleague, "-", " ")
}

// handSkill hands over to the colleague that the task names.
func handSkill(t turn) move {
	m := handTo.FindStringSubmatch(t.task)
	who := strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")
	switch {
	case strings.HasPrefix(who, "it"):
		who = "it-admin"
	case strings.HasPrefix(who, "sekret"):
		who = "secretary"
	case who == "front-desk", who == "empfang":
		who = "dispatcher"
	}
	task := strings.TrimSpace(m[2])
	if task == "" {
		return move{text: t.in("What shall I ask the "+t.nameOf(who)+"?", t.nameOf(who)+": Was soll ich fragen?")}
	}
	if !t.has["agent_dispatch"] {
		t.task = task
		if wishOf(t) != wantHand {
			return next(t)
		}
		return helpSkill(t)
	}
	return delegate(t, who, task)
}

// notDone reads the mark that the runtime puts before a result that is none.
func notDone(text string) (state, why string) {
	for _, s := range []string{"denied", "failed", "unknown", "stopped"} {
		if rest, ok := strings.CutPrefix(text, "["+s+"] "); ok {
			return s, strings.TrimSpace(rest)
		}
	}
	return "", ""
}

// refusalText puts into words that something was not done, with the reason that the result gives.
func refusalText(t turn, text string) string {
	state, why := notDone(text)
	why = firstParagraph(why)
	switch {
	case strings.HasPrefix(why, "A person denied this and said: "):
		reason := strings.TrimPrefix(why, "A person denied this and said: ")
		return t.in("This was denied, with the reason: “"+reason+"”. Nothing was changed, and I will not try another way.",
			"Das wurde abgelehnt, mit der Begründung: „"+reason+"“. Es wurde nichts geändert, und ich versuche es nicht auf anderem Weg.")
	case strings.HasPrefix(why, "A person denied this"):
		return t.in("This was denied. Nothing was changed, and I will not try another way.", "Das wurde abgelehnt. Es wurde nichts geändert, und ich versuche es nicht auf anderem Weg.")
	case strings.HasPrefix(why, "Nobody answered in time"):
		return t.in("Nobody answered the request in time, so it was not done. Ask again when it suits you.", "Niemand hat rechtzeitig geantwortet, deshalb wurde es nicht getan. Fragen Sie gern noch einmal.")
	case state == "unknown":
		return t.in("It is not known whether this was done: the server was interrupted in the middle. I will not repeat it; please check.", "Es ist nicht bekannt, ob das getan wurde: Der Server wurde mittendrin unterbrochen. Ich wiederhole es nicht; bitte prüfen Sie es.")
	}
	return t.in("That did not work: "+why, "Das ging nicht: "+why)
}

func firstParagraph(s string) string {
	s, _, _ = strings.Cut(s, "\n\n[Runtime:")
	return strings.TrimSpace(s)
}

// editMark begins what the runtime adds to the result of a call that a person has edited.
const editMark = "[Runtime: a person edited this call"

// edited says, in words, that a person changed a call before allowing it; empty when nobody did.
func edited(t turn, text string) string {
	if !strings.Contains(text, editMark) {
		return ""
	}
	return t.in(" A person changed my request before allowing it; this is about what really went out.", " Eine Person hat meine Anfrage vor der Freigabe geändert; das hier betrifft, was wirklich hinausging.")
}

// restate takes back what no receipt shows.
func restate(t turn) move {
	text := t.in("I have to correct myself: what I said about that is not shown by the receipts, so please take it as not done.",
		"Ich muss mich berichtigen: Was ich darüber gesagt habe, ist nicht belegt; bitte nehmen Sie es als nicht getan.")
	if n := len(t.uses); n > 0 {
		text += t.in("\n\nThis is all that the tools answered:\n", "\n\nDas ist alles, was die Werkzeuge geantwortet haben:\n") + fenced(t.uses[n-1].text)
	}
	return move{text: text}
}

// fenced puts the output of a tool into a code block that it cannot end itself.
func fenced(s string) string {
	marks := "```"
	for strings.Contains(s, marks) {
		marks += "`"
	}
	return marks + "\n" + strings.TrimRight(s, "\n") + "\n" + marks
}
