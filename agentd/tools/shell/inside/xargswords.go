package inside

import (
	"errors"
	"strings"
)

// parted splits at a mark, which may also stand at the end.
func parted(s, mark string) []string {
	s = strings.TrimSuffix(s, mark)
	if s == "" {
		return nil
	}
	return strings.Split(s, mark)
}

// quoted splits at blanks and line ends, as xargs does it; quotes and backslashes hold words together.
func quoted(s string) ([]string, error) {
	var out []string
	var word strings.Builder
	in := false
	var quote rune
	escaped := false
	for _, c := range s {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\\':
			escaped, in = true, true
		case c == '"' || c == '\'':
			quote, in = c, true
		case strings.ContainsRune(" \t\n", c):
			if in {
				out = append(out, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(c)
			in = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if in {
		out = append(out, word.String())
	}
	return out, nil
}
