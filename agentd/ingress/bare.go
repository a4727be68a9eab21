package ingress

import "strings"

// Bare is a text with blocks as people read it, without the marks. It is for showing alone: what a model reads keeps them.
func Bare(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		mark := strings.TrimRight(line, "\n")
		if mark == closing || strings.HasPrefix(mark, opening+" ") && strings.HasSuffix(mark, "]") {
			continue
		}
		b.WriteString(line)
	}
	return strings.TrimRight(b.String(), "\n")
}
