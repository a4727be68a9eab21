package redact

import (
	"bytes"
	"strings"
)

// operator reads the sign at i; 0 says that there is none.
func operator(text []byte, i int) (next int, sign byte) {
	rest := text[i:]
	for _, op := range []string{":::=", "::=", ":=", "=>", "->", "===", "==", "?=", "+=", ".=", "||=", "??=", "||", "&#61;", "%3d", "%3a", "\\u003d", "=", "：", "＝"} {
		if hasFold(rest, op) {
			if op == "->" || op == "||" && (len(rest) < 3 || rest[2] != '=') && !bytes.ContainsAny(rest[2:min(len(rest), 6)], "\"'") {
				return i, 0
			}
			return i + len(op), '='
		}
	}
	if n := len(rest) - len(bytes.TrimLeft(rest, ".")); n >= 4 && n < len(rest) && rest[n] == ' ' {
		return i + n, ':' // leaders
	}
	if hasFold(rest, "&gt;") {
		return i + len("&gt;"), '>'
	}
	switch {
	case rest[0] == ':' && (len(rest) < 2 || rest[1] != ':' && !bytes.HasPrefix(rest, []byte("://"))):
		return i + 1, ':'
	case rest[0] == ',' || rest[0] == '>' || rest[0] == '|':
		return i + 1, rest[0]
	case bytes.HasPrefix(rest, []byte("│")) || bytes.HasPrefix(rest, []byte("┃")) || bytes.HasPrefix(rest, []byte("║")):
		return i + len("│"), '|'
	}
	return i, 0
}

// tagName says whether the name at i is that of an XML element.
func tagName(text []byte, i int) bool {
	for k := i; k > 0 && k > i-maxNameRun; k-- {
		switch c := text[k-1]; {
		case c == '<' || c == ';' && k >= 4 && hasFold(text[k-4:], "&lt;"):
			return true
		case c == '\n' || c == '/' || c == '>':
			return false
		}
	}
	return false
}

// flagged says whether the name at i is an option of a command.
func flagged(text []byte, i int) bool {
	return i >= 1 && text[i-1] == '-' && (i == 1 || text[i-2] == '-' && (i == 2 || text[i-3] <= ' ' || text[i-3] == '"' || text[i-3] == '\'') || text[i-2] <= ' ')
}

// typedAssignment is where the value begins of "name type = value".
func typedAssignment(text []byte, i int) int {
	k := i
	for k < len(text) && k < i+24 && (isWord(text[k]) || strings.IndexByte("<>[]?*.", text[k]) >= 0) {
		k++
	}
	if k == i {
		return 0
	}
	word := k
	k = skipAny(text, k, 3, " \t")
	if k+1 < len(text) && text[k] == '=' && text[k+1] != '=' && (k > word || text[k+1] == '"' || text[k+1] == '\'') {
		return k + 1
	}
	return 0
}

// annotated is where the value begins of "name: type = value".
func annotated(text []byte, i int, sign byte) int {
	if sign != ':' {
		return 0
	}
	return typedAssignment(text, i)
}

// blockValue is where the first line of a YAML block begins whose sign stands at i, or i.
func blockValue(text []byte, i int, sign byte) int {
	if sign != ':' || i >= len(text) || text[i] != '|' && text[i] != '>' {
		return i
	}
	k := skipAny(text, i+1, 2, "+-0123456789")
	k = skipAny(text, k, 4, " \t\r")
	if k < len(text) && text[k] == '\n' {
		return skipAny(text, k, 60, " \t\r\n")
	}
	return i
}

// copulas say in sentences what a password is.
var copulas = []string{"is", "was", "are", "to", "as", "ist", "lautet", "war", "est", "es", "é", "è", "jest", "er", "är", "set to", "changed to", "is now", "will be", "by", "=", "luidt", "lyder", "reads", "par", "là", "c'est", "c’est", "este", "je", "son", "sont", "sono", "sind", "είναι", "це", "هي", "для", "это", "für"}
