package answer

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// claim is a sentence that says something was done.
type claim struct {
	sentence string
	verb     string
	kind     string // "done" for a sentence that only says it is done
	targets  []string
}

// claims finds what an answer says was done. One sentence may claim several kinds of deeds.
func claims(text string) []claim {
	var all []claim
	for _, s := range sentences(text) {
		if strings.HasSuffix(strings.TrimRight(s, " *_)"), "?") {
			continue
		}
		seen := map[string]bool{}
		for _, clause := range clauses(s) {
			for _, c := range inClause(clause) {
				if !seen[c.kind] {
					seen[c.kind] = true
					c.sentence = s
					all = append(all, c)
				}
			}
		}
	}
	return all
}

func inClause(clause string) []claim {
	w := tokens(clause)
	if isDone(w) {
		return []claim{{verb: strings.Join(w, " "), kind: "done"}}
	}
	var all []claim
	for _, lang := range words0.sets {
		for i, word := range w {
			k, ok := lang.verbs[word]
			if ok && lang.claimed(w, i) {
				all = append(all, claim{verb: word, kind: k, targets: targets(clause)})
			}
		}
	}
	return all
}

func isDone(w []string) bool {
	said := strings.Join(w, " ")
	for _, d := range words0.Done {
		if said == d {
			return true
		}
	}
	return false
}

// claimed says whether the verb at i tells a deed of the team: not denied, not to come, not somebody else's.
func (l words) claimed(w []string, i int) bool {
	for at, word := range w {
		if l.negations[word] {
			return false
		}
		if l.open[word] && l.opensVerb(w, at, i) {
			return false
		}
	}
	if i > 0 && l.articles[w[i-1]] {
		return false // "the deleted files"
	}
	subject, passive := l.subject(w, i)
	if passive {
		return !l.longAgo(w)
	}
	return subject
}

// leads says whether a word that may open a possibility may also lead to a person or a time: "sent to", "after".
func leads(word string) bool {
	switch word {
	case "to", "zu", "um", "after", "before", "like", "bis":
		return true
	}
	return false
}

// opens says whether the opening word at belongs to the verb at i: "to be sent" does, "the letter to her was sent"
// does not.
func opens(w []string, at, i int) bool {
	if w[at] != "to" && w[at] != "zu" {
		return true
	}
	return at+1 == i || w[at+1] == "be"
}

// subject looks at the words around the verb for who did it. A clause that begins with the verb speaks of oneself.
func (l words) subject(w []string, i int) (own, passive bool) {
	at := i - 1
	for ; at >= 0 && (l.auxiliaries[w[at]] || strings.HasSuffix(w[at], "ly")); at-- {
		passive = passive || l.passive[w[at]]
	}
	if i+1 < len(w) && l.passive[w[i+1]] {
		passive = true // "dass sie gelöscht wurden"
	}
	if passive {
		return false, true
	}
	if at < 0 || w[at] == "and" || w[at] == "und" {
		return true, false
	}
	for _, word := range w[:i] {
		if l.subjects[word] {
			return true, false
		}
		if l.passive[word] {
			return false, true // "wurden 14 Dateien gelöscht"
		}
	}
	return false, false
}

var year = lazyre.MustCompile(`^(19|20)\d\d$`)

// opensVerb reports whether the word at makes the verb at i a mere possibility: before the verb, or after it as its German
// auxiliary ("gelöscht werden").
func (l words) opensVerb(w []string, at, i int) bool {
	if at < i {
		return opens(w, at, i)
	}
	return at == i+1 && !l.passive[w[at]] && !leads(w[at])
}

// longAgo says whether the clause tells when it happened, as findings do.
func (l words) longAgo(w []string) bool {
	for i, word := range w {
		if l.past[word] || year.MatchString(word) || (i > 0 && word == "week" && w[i-1] == "last") {
			return true
		}
	}
	return false
}

var target = lazyre.MustCompile("[^\\s,;:()`*'\"<>]*[./@*][^\\s,;:()`*'\"<>]*")

// targets are the paths, globs and addresses that a clause names.
func targets(clause string) []string {
	var all []string
	for _, t := range target.FindAllString(clause, -1) {
		t = strings.TrimRight(t, ".!?…")
		if strings.ContainsAny(t, "./@*") && !isNumber(t) && strings.ContainsFunc(t, isLetter) {
			all = append(all, strings.ToLower(t))
		}
	}
	return all
}

func isNumber(s string) bool {
	return strings.Trim(s, "0123456789.,%") == ""
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
