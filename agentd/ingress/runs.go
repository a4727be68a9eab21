package ingress

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// signs is a set of ASCII characters.
type signs [128]bool

func signsOf(s string) (set signs) {
	for i := range len(s) {
		set[s[i]] = true
	}
	return set
}

const (
	digits = "0123456789"
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// in gives the runs of at least least signs in s. Expressions that are slow look only there.
func (set *signs) in(s string, least int) (runs []string) {
	from := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] < utf8.RuneSelf && set[s[i]] {
			continue
		}
		if i-from >= least {
			runs = append(runs, s[from:i])
		}
		from = i + 1
	}
	return runs
}

// easy says whether a text is plain ASCII that shows: folding leaves it as it is.
func easy(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7F || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// span is a range of bytes.
type span struct{ from, to int }

// parted finds the runs of letters, digits and underscores.
func parted(s string) (all []span) {
	from := -1
	for i, r := range s {
		switch in := wordly(r); {
		case in && from < 0:
			from = i
		case !in && from >= 0:
			all, from = append(all, span{from, i}), -1
		}
	}
	if from >= 0 {
		all = append(all, span{from, len(s)})
	}
	return all
}

func wordly(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// chunks cuts a long text at line ends, and lines at blanks, into parts of about 400 bytes.
func chunks(s string) (all []string) {
	for line := range strings.SplitSeq(s, "\n") {
		for len(line) > 400 {
			n := strings.IndexByte(line[400:], ' ')
			if n < 0 {
				break
			}
			all, line = append(all, line[:400+n]), line[400+n:]
		}
		all = append(all, line)
	}
	return all
}
