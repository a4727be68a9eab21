package answer

import (
	"path"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// maxPaths is how many names of an answer are looked up.
const maxPaths = 200

var (
	// pathSpans are what stands in code or in quotation marks, which may hold blanks, and otherwise words.
	pathSpans = lazyre.MustCompile("`([^`\n]+)`" + `|"([^"\n]+)"|“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|` + wordForm)
	pathWords = lazyre.MustCompile(wordForm)
)

// wordForm is a word without what stands around words.
const wordForm = "[^\\s`\"“”„«»()\\[\\]<>|*;,']+"

// Paths are the names in an answer that could be files of the business, each once, in the order in which they stand: what is
// quoted as a whole, and each word of it. Whether there is such a file, and where its name leads, is for the caller to find
// out; names with a step up are left out.
func Paths(text string) []string {
	var all []string
	add := func(name string) {
		if len(all) < maxPaths && isName(name) && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, m := range pathSpans.FindAllStringSubmatch(text, -1) {
		for _, quoted := range m[1:] {
			add(strings.TrimSpace(quoted))
		}
		for _, word := range pathWords.FindAllString(m[0], -1) {
			if word = strings.TrimRight(word, ".:!?…"); strings.ContainsAny(word, "/.") {
				add(word)
			}
		}
	}
	return all
}

// isName reports whether a text can be the name of a file: clean, except for a "./" before it, and without a step up.
func isName(s string) bool {
	bare := strings.TrimPrefix(s, "./")
	return bare != "" && bare == path.Clean(bare) && !slices.Contains(strings.Split(bare, "/"), "..")
}
