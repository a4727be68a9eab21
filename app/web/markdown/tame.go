package markdown

import "strings"

// Limits beyond which a block is no writing any more, and parsing it would take time that grows with its square.
const (
	maxDepth    = 24  // quotes and list items in one another
	maxBrackets = 300 // beginnings of links
)

// tame says whether a block can be parsed in reasonable time; what cannot is shown as it was written.
func tame(src string) bool {
	if len(src) > maxBlock+2*maxLine || strings.Count(src, "[") > maxBrackets {
		return false
	}
	for line := range strings.Lines(src) {
		if depth(line) > maxDepth {
			return false
		}
	}
	return true
}

// depth counts the quote signs and list markers that line begins with, as far as they matter.
func depth(line string) int {
	n := 0
	for n <= maxDepth {
		rest, ok := peel(line)
		if !ok {
			break
		}
		line, n = rest, n+1
	}
	return n
}
