package redact

import (
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// writer makes texts that an expression matches. A wild one draws everything that the expression lets; a tame one writes
// what is optional as people do.
type writer struct {
	r    *rand.Rand
	wild bool
	caps int    // of a tame text: 0 as the rule is written, 1 small, 2 capitals
	mark string // the quote of a tame text
	b    strings.Builder
}

// What people write where a rule lets anything stand: before a name, after it, around the sign of an assignment.
var (
	usualBefore = strings.Split("|||my_|ACME_|prod.|x-", "|")
	usualAfter  = strings.Split(`|||_token|_TOKEN|_API_KEY|.api.key|-secret|Key|Token| api key| |~| ~|~ |_access_token `, "|")
)

// fromRule is a text that re matches, if nothing in it asks for an end or a border.
func fromRule(r *rand.Rand, re *syntax.Regexp, wild bool) string {
	w := &writer{r: r, wild: wild, caps: r.IntN(3), mark: []string{`"`, `'`}[r.IntN(2)]}
	w.write(re)
	return w.b.String()
}

// secretOf is the part of an expression that it takes for the secret: its first group, or all of it.
func secretOf(re *syntax.Regexp) *syntax.Regexp {
	if re.Op == syntax.OpCapture {
		return re
	}
	for _, sub := range re.Sub {
		if found := secretOf(sub); found.Op == syntax.OpCapture {
			return found
		}
	}
	return re
}

func (w *writer) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			w.b.WriteRune(w.folded(c, re.Flags))
		}
	case syntax.OpCharClass:
		w.b.WriteRune(w.oneOf(re))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.b.WriteByte('.') // alone it means a dot
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		which := w.r.IntN(len(re.Sub))
		if !w.wild && w.r.IntN(2) == 0 {
			which = 0 // what is written first is what is usual
		}
		w.write(re.Sub[which])
	case syntax.OpStar:
		w.repeat(re.Sub[0], 0, 6)
	case syntax.OpPlus:
		w.repeat(re.Sub[0], 1, 24)
	case syntax.OpQuest:
		w.repeat(re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 {
			most = re.Min + 24
		}
		w.repeat(re.Sub[0], re.Min, most)
	}
}

func (w *writer) repeat(re *syntax.Regexp, least, most int) {
	if !w.wild && least == 0 && (re.Op == syntax.OpAnyChar || re.Op == syntax.OpAnyCharNotNL) {
		w.b.WriteString(map[bool]string{true: "\n", false: " "}[re.Op == syntax.OpAnyChar])
		return
	}
	if !w.wild && least == 0 && re.Op == syntax.OpCharClass {
		usual := usualAfter
		if w.b.Len() == 0 {
			usual = usualBefore
		}
		if s := strings.ReplaceAll(usual[w.r.IntN(len(usual))], "~", w.mark); len(s) <= most && !strings.ContainsFunc(s, func(c rune) bool { return !holds(re, c) }) {
			w.b.WriteString(s)
		}
		return
	}
	for range least + w.r.IntN(most-least+1) {
		if re.Op == syntax.OpAnyChar || re.Op == syntax.OpAnyCharNotNL {
			w.b.WriteByte(alnum[w.r.IntN(len(alnum))])
			continue
		}
		w.write(re)
	}
}

func (w *writer) folded(c rune, flags syntax.Flags) rune {
	switch {
	case flags&syntax.FoldCase == 0:
		return c
	case w.wild && w.r.IntN(2) == 0, !w.wild && w.caps == 2:
		return unicode.ToUpper(c)
	case w.wild, w.caps == 1:
		return unicode.ToLower(c)
	}
	return c
}

func holds(re *syntax.Regexp, c rune) bool {
	for pair := range slices.Chunk(re.Rune, 2) {
		if pair[0] <= c && c <= pair[1] {
			return true
		}
	}
	return false
}

// oneOf is a sign of a class, of those that can be typed.
func (w *writer) oneOf(re *syntax.Regexp) rune {
	var all []rune
	for c := rune(' '); c < 127; c++ {
		if holds(re, c) && (w.wild || !strings.ContainsRune("\"'`\\", c) || !holds(re, 'a')) {
			all = append(all, c)
		}
	}
	if !w.wild && holds(re, '\n') && holds(re, 'a') {
		return rune(alnum[w.r.IntN(len(alnum))]) // anything at all
	}
	if !w.wild && holds(re, '\n') && !holds(re, ' ') {
		w.b.WriteString(" \\") // a command goes on
		return '\n'
	}
	if !w.wild && holds(re, ' ') && !holds(re, '"') {
		return ' '
	}
	if !w.wild && holds(re, '\'') && holds(re, '"') && !holds(re, 'a') {
		return w.quote(re)
	}
	if len(all) == 0 {
		return re.Rune[0]
	}
	if small := strings.ToLower(string(all)); !w.wild && small != string(all) && w.caps < 2 && folds(re) {
		all = slices.DeleteFunc(all, unicode.IsUpper)
	}
	return all[w.r.IntN(len(all))]
}

// folds says that a class holds each of its letters large and small, as one does in an expression that ignores case, and
// not all letters.
func folds(re *syntax.Regexp) bool {
	for c := 'a'; c <= 'z'; c++ {
		if holds(re, c) != holds(re, unicode.ToUpper(c)) {
			return false
		}
	}
	return true
}

// quote opens or closes a quotation, or ends a value that has none.
func (w *writer) quote(re *syntax.Regexp) rune {
	if holds(re, ';') && strings.Count(w.b.String(), w.mark)%2 == 0 {
		return []rune(" ;\n")[w.r.IntN(3)]
	}
	return rune(w.mark[0])
}
