package rehearsal

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// quoted is a text between two marks.
var quoted = lazyre.MustCompile("\"[^\"]+\"|“[^”]+”|„[^“”]+[“”]|`[^`]+`")

// firstQuote stands for the first quotation of a task, the rune after it for the second, and so on.
const firstQuote = '\uE000'

// hide takes the quotations out of a task, so that nothing in them is read as a request. One that is a path or an
// address and nothing else stays, without its marks.
func hide(task string) (bare string, quotes []string) {
	bare = quoted.ReplaceAllStringFunc(task, func(q string) string {
		in := unquoted(q)
		if filePath.FindString(in) == in || address.FindString(in) == in {
			return in
		}
		quotes = append(quotes, q)
		return string(firstQuote + rune(len(quotes)-1))
	})
	return bare, quotes
}

// show puts the quotations back where they stood.
func show(bare string, quotes []string) string {
	for i, q := range quotes {
		bare = strings.Replace(bare, string(firstQuote+rune(i)), q, 1)
	}
	return bare
}

func unquoted(q string) string { return strings.Trim(q, "\"“”„`") }
