package markdown

import "strings"

// fence is the code fence that a line stands in; the zero value is none.
type fence struct {
	mark  string // the run of ` or ~ that opened it
	quote bool   // opened inside a block quote
}

func (f fence) open() bool    { return f.mark != "" }
func (f fence) close() string { return f.mark }

// after is the fence that holds after line.
func (f fence) after(line string) fence {
	quoted := strings.HasPrefix(strings.TrimLeft(line, " "), ">")
	if f.open() && f.quote && !quoted {
		f = fence{} // a quote ended, and the fence in it
	}
	mark, info := fenceMark(line)
	switch {
	case f.open() && mark != "" && mark[0] == f.mark[0] && len(mark) >= len(f.mark) && isBlank(info):
		return fence{}
	case f.open() || mark == "" || mark[0] == '`' && strings.ContainsRune(info, '`'):
		return f
	}
	return fence{mark: mark, quote: quoted}
}

// fenceMark finds the run of fence characters at the start of line, behind list markers and quote signs.
func fenceMark(line string) (mark, info string) {
	rest := inner(line)
	if rest == "" || rest[0] != '`' && rest[0] != '~' {
		return "", ""
	}
	n := len(rest) - len(strings.TrimLeft(rest, rest[:1]))
	if n < 3 {
		return "", ""
	}
	return rest[:n], rest[n:]
}

// inner is line without indentation, list markers and quote signs, as far in as anybody writes them.
func inner(line string) string {
	for range maxDepth {
		rest, ok := peel(line)
		if !ok {
			break
		}
		line = rest
	}
	return strings.TrimLeft(line, " \t")
}

// peel takes one list marker or quote sign off the front of line.
func peel(line string) (rest string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	switch {
	case strings.HasPrefix(line, ">"):
		return line[1:], true
	case marker(line) != "" && !isRule(line):
		return line[strings.IndexAny(line, " \t"):], true
	}
	return line, false
}

// marker is the kind of list item that line starts: its bullet, or the sign behind its number. Empty: none.
func marker(line string) string {
	line = strings.TrimLeft(line, " ")
	if line == "" {
		return ""
	}
	if strings.ContainsRune("-*+", rune(line[0])) {
		return spaced(line, 1)
	}
	n := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if n == 0 || n > 9 || n == len(line) || line[n] != '.' && line[n] != ')' {
		return ""
	}
	return spaced(line, n+1)
}

func spaced(line string, n int) string {
	if n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		return line[n-1 : n]
	}
	return ""
}

// isRule says whether line is a thematic break such as "* * *", which looks like a list item at first.
func isRule(line string) bool {
	bare := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' || r == '\r' {
			return -1
		}
		return r
	}, line)
	return len(bare) >= 3 && strings.Trim(bare, bare[:1]) == "" && strings.Contains("-*_", bare[:1])
}
