package ingress

import (
	"strings"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

// quotes are the ways to quote, and to mark code.
var quotes = lazyre.MustCompile("^(?:\"[^\"\n]{3,300}\"|“[^”“]{3,400}[”“]|„[^“”„]{3,400}[“”]|«[^»]{3,400}»|»[^«]{3,400}«|(?s:```.{1,1000}?```)|`[^`\n]{3,300}`" +
	`|(?s:<(?:code|pre|blockquote)>.{1,1000}?</(?:code|pre|blockquote)>)|['‘][^'’\n]{8,300}['’](?:[\s.,;:!?)]|$))`)

// quoted finds what stands in quotes, marks of code and blocks of quotation. Looking only where one can begin is what
// makes it cheap.
func quoted(s string) (all [][2]int) {
	for i := 0; i < len(s); {
		n := strings.IndexAny(s[i:], "\"'`<“„«»‘")
		if n < 0 {
			return all
		}
		i += n
		m := quotes.FindStringIndex(s[i:min(len(s), i+longestQuote)])
		_, size := utf8.DecodeRuneInString(s[i:])
		if m == nil || (s[i] == '\'' || size > 1) && inWord(s[:i]) || s[i] == '"' && isValue(s[:i]) {
			i += size
			continue
		}
		all = append(all, [2]int{i, i + m[1]})
		i += m[1]
	}
	return all
}

// isValue says whether what follows a text is the value of a member in JSON: a field, and nobody's quotation.
func isValue(before string) bool {
	key, ok := strings.CutSuffix(strings.TrimRight(before, " \t"), ":")
	return ok && strings.HasSuffix(key, `"`)
}

// longestQuote is how many bytes the longest quote can have.
const longestQuote = 2400

// inWord says whether a text ends inside a word: what follows is an apostrophe.
func inWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return wordly(r) && before != ""
}
