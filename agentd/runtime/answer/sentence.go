package answer

import (
	"strings"
	"unicode"

	"gatehouse/agentd/lazyre"
)

var (
	fence  = lazyre.MustCompile("(?s)```.*?(```|$)")
	quoted = lazyre.MustCompile("\"[^\"\n]*\"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»")
	marker = lazyre.MustCompile(`^\s*(#+\s+|[-*+•]\s+|\d+[.)]\s+|>\s?|\|)*`)
	// ends finds the end of a sentence: a mark, perhaps a closing bracket, then a space or the end.
	ends = lazyre.MustCompile(`[.!?…]+["')\]*_]*(\s+|$)`)
)

// sentences splits an answer, without code blocks, tables and what it quotes from elsewhere.
func sentences(text string) []string {
	var all []string
	for line := range strings.Lines(fence.ReplaceAllString(text, "\n")) {
		if strings.HasPrefix(strings.TrimSpace(line), "|") || strings.HasPrefix(strings.TrimSpace(line), ">") {
			continue // a table or a quotation
		}
		line = strings.TrimSpace(marker.ReplaceAllString(line, ""))
		for line != "" {
			at := cutAt(line)
			if s := strings.TrimSpace(line[:at]); s != "" {
				all = append(all, s)
			}
			line = strings.TrimSpace(line[at:])
		}
	}
	return all
}

// cutAt is where the first sentence of a line ends. A dot within a number, a file name or an abbreviation of one
// letter ends none.
func cutAt(line string) int {
	from := 0
	for {
		m := ends.FindStringIndex(line[from:])
		if m == nil {
			return len(line)
		}
		end := from + m[1]
		before := strings.TrimRight(line[:from+m[0]], " ")
		last := before[strings.LastIndexByte(before, ' ')+1:]
		next := strings.TrimSpace(line[end:])
		if len([]rune(last)) == 1 || (next != "" && unicode.IsLower([]rune(next)[0]) && line[from+m[0]] == '.') {
			from = end
			continue
		}
		return end
	}
}

// clauses splits a sentence where it turns: one half may deny what the other claims.
func clauses(sentence string) []string {
	var all []string
	var clause []string
	for _, w := range strings.Fields(quoted.ReplaceAllString(sentence, " ")) {
		bare := strings.Trim(strings.ToLower(w), ",;:()*_`")
		if breaks(bare) && len(clause) > 0 {
			all, clause = append(all, strings.Join(clause, " ")), nil
		}
		clause = append(clause, w)
		if strings.HasSuffix(w, ";") {
			all, clause = append(all, strings.Join(clause, " ")), nil
		}
	}
	if len(clause) > 0 {
		all = append(all, strings.Join(clause, " "))
	}
	return all
}

func breaks(w string) bool {
	for _, lang := range words0.sets {
		if lang.breaks[w] {
			return true
		}
	}
	return false
}

// tokens are the words of a clause, lower case, without the marks around them.
func tokens(clause string) []string {
	var all []string
	for _, w := range strings.Fields(clause) {
		w = strings.ReplaceAll(strings.ToLower(w), "’", "'")
		if w = strings.Trim(w, ".,;:!?…()[]{}*_`\"'“”„«»–—"); w != "" {
			all = append(all, w)
		}
	}
	return all
}
