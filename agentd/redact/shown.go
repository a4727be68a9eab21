package redact

import "strings"

// Shown is the first mark that stands in after more often than in before, or "". A text that comes back from a model with
// such a mark would put it in the place of the value that the model was not shown. Marks count by their form alone: the
// secret that one stands for may have another name by now.
func Shown(before, after string) string {
	mark, rest := nextMark(after)
	if mark == "" {
		return ""
	}
	left := map[string]int{}
	for had, text := nextMark(before); had != ""; had, text = nextMark(text) {
		left[had]++
	}
	for ; mark != ""; mark, rest = nextMark(rest) {
		if left[mark]--; left[mark] < 0 {
			return mark
		}
	}
	return ""
}

// nextMark is the first thing in text that has the form of a mark, and what stands behind it.
func nextMark(text string) (mark, rest string) {
	for {
		at := strings.IndexByte(text, '[')
		if at < 0 {
			return "", ""
		}
		text = text[at:]
		if n := markLength(text); n > 0 {
			return text[:n], text[n:]
		}
		text = text[1:]
	}
}

// markLength is the length of what has the form of a mark at the start of text, or 0.
func markLength(text string) int {
	for _, lead := range []string{"[SECRET:", "[REDACTED:"} {
		name, ok := strings.CutPrefix(text, lead)
		if !ok {
			continue
		}
		n := 0
		for n < len(name) && (isWord(name[n]) || name[n] == '.' || name[n] == '-' || name[n] == '#') {
			n++
		}
		if n > 0 && n < len(name) && name[n] == ']' {
			return len(lead) + n + 1
		}
	}
	return 0
}
