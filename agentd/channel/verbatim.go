package channel

import (
	"strings"
	"unicode/utf8"
)

// fences stand around what messengers show sign by sign.
const fences = "```"

// Verbatim makes of a request messages of at most `most` characters, between fences: so nothing in it hides behind a line through it or
// a link. asks is its last paragraph, which says what can be done and has at most mostAsks characters.
func Verbatim(text string, most, mostAsks int) (shown []string, asks string) {
	asks = "What do you decide?"
	if i := strings.LastIndex(text, "\n\n"); i >= 0 {
		if last := strings.TrimSpace(text[i:]); last != "" && utf8.RuneCountInString(last) <= mostAsks {
			text, asks = text[:i], last
		}
	}
	text = strings.ReplaceAll(text, "`", "\u02cb") // a sign that looks like it and ends no fence
	for _, one := range Split(text, most-2*len(fences)-2) {
		if strings.TrimSpace(one) != "" {
			shown = append(shown, fences+"\n"+one+"\n"+fences)
		}
	}
	return shown, asks
}
