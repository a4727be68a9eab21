package email

import (
	"regexp"
	"strings"
)

// wrote is what stands in an attribution that has neither address nor time.
const wrote = `(?:^|\s)(?:wrote|schrieb|écrit|escribió|scritto|schreef|escreveu|skrev|napisał)`

var (
	// attribution is the line above a quotation: "On …, … wrote:", in any language it ends in a colon and names an address or a time.
	attribution = regexp.MustCompile(`(?i)(?:@|\d[.:/-]\d|` + wrote + `).*[:：]\s*$`)
	separator   = regexp.MustCompile(`^\s*(?:-{3,}|_{8,}|={8,}|\*{3,})`)
	headerLine  = regexp.MustCompile(`^[\s>*]*\p{L}[\p{L} -]{0,24}\*?\s?[:：]\*?\s+\S`)
	introduces  = regexp.MustCompile(`(?i)^\s*(?:begin forwarded message|anfang der weitergeleiteten|début du message|inizio messaggio)`)
	forwarded   = regexp.MustCompile(`(?i)^\s*(?:fwd?|wg|tr|rv|enc|vb|vl|vs|doorst|pd|i|转发|轉寄|пересл?)\s*:`)
)

// quotes keeps apart what a sender wrote and what they quoted. In doubt it counts as quoted: what is not the sender's own must not
// pass as theirs.
func quotes(text string) (own, quoted string) {
	lines := strings.Split(strings.ReplaceAll(text, "\u00a0", " "), "\n")
	var mine, theirs []string
	for i, line := range lines {
		if begins(lines[i:]) {
			theirs = append(theirs, lines[i:]...)
			break
		}
		if isQuote(line) || attribution.MatchString(line) && i+1 < len(lines) && quoteFollows(lines[i+1:]) {
			theirs = append(theirs, line)
			continue
		}
		mine = append(mine, line)
	}
	return strings.TrimSpace(strings.Join(mine, "\n")), strings.TrimSpace(strings.Join(theirs, "\n"))
}

func isQuote(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), ">") }

// quoteFollows says whether a quotation is next, after an empty line at most.
func quoteFollows(lines []string) bool {
	for _, line := range lines[:min(len(lines), 3)] {
		if strings.TrimSpace(line) != "" {
			return isQuote(line)
		}
	}
	return false
}

// begins says whether another mail begins here and goes on to the end: at a line across, at words that introduce one, at a block of
// headers, or at an attribution beneath which nothing is marked as quoted. Neither needs an address: many programs write names alone.
func begins(lines []string) bool {
	first := lines[0]
	switch {
	case introduces.MatchString(first):
		return true
	case separator.MatchString(first):
		return true
	case attribution.MatchString(first) && !quoteFollows(lines[1:]):
		return true
	}
	n := 0
	for _, line := range lines[:min(len(lines), 6)] {
		if !headerLine.MatchString(line) {
			break
		}
		n++
	}
	return n >= 2
}

// isForward says whether a subject is that of a mail which somebody else wrote.
func isForward(subject string) bool { return forwarded.MatchString(subject) }
