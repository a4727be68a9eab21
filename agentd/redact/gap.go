package redact

import (
	"bytes"
	"strings"
)

// gap is what stands between a name and its value.
type gap struct {
	start, end int // of the name
	how        strength
	at         int  // where the sign stands, or the value when there is none
	closed     bool // something closes the name, as a quote does
	spaced     bool // blanks stand before at
	sign       byte // 0: none
	next       int  // behind the sign
}

// valueAfter reads the sign of an assignment behind a name, and the value.
func valueAfter(text []byte, start, end int, how strength) (value, bool) {
	g := gap{start: start, end: end, how: how}
	spaces := pastName(text, end)
	g.at = skipAny(text, spaces, 40, " \t")
	g.closed, g.spaced = spaces > end, g.at > spaces
	if g.at >= len(text) {
		return value{}, false
	}
	g.next, g.sign = operator(text, g.at)
	if v, ok := belowValue(text, start, end, how); ok && (g.sign == 0 || g.sign == ':') {
		return v, ok
	}
	if g.sign == 0 {
		return g.unsigned(text)
	}
	if v, ok := g.arrow(text); ok {
		return v, ok
	}
	if g.otherSign(text) || g.digested(text) {
		return value{}, false
	}
	return g.signed(text)
}

// pastName skips what may close a name.
func pastName(text []byte, end int) int {
	at := skipAny(text, end, 6, "\"'`*_)]}\\”“»")
	at = pastRemark(text, at)
	for _, q := range []string{"%22", "&quot;", "&#34;", "%27", "\\u0022"} {
		if hasFold(text[at:], q) {
			at += len(q)
			break
		}
	}
	if at+1 < len(text) && text[at] == '.' && text[at+1] == ':' {
		at++ // an abbreviation
	}
	return at
}

// digested says whether what follows is compared with what a function makes of the name: its digest.
func (g gap) digested(text []byte) bool {
	between := text[g.end:g.next]
	if !bytes.HasSuffix(between, []byte("==")) || bytes.IndexByte(between, ')') < 0 {
		return false
	}
	v := wordAt(text, skipAny(text, g.next, 2, " \"'"))
	return digestLike(text[v.start:v.end])
}

// pastRemark skips a remark in brackets between a name and its colon: Password (case sensitive): ….
func pastRemark(text []byte, at int) int {
	if at+2 >= len(text) || text[at] != ' ' || text[at+1] != '(' {
		return at
	}
	line := min(lineEnd(text, at), at+40)
	k := bytes.IndexByte(text[at:line], ')')
	if k < 0 || at+k+1 >= len(text) || text[at+k+1] != ':' {
		return at
	}
	return at + k + 1
}

func (g gap) arrow(text []byte) (value, bool) {
	if !g.spaced || g.how < token {
		return value{}, false
	}
	return arrowValue(text, g.at, g.how)
}

// unsigned reads a value that stands behind its name without a sign.
func (g gap) unsigned(text []byte) (value, bool) {
	if v, ok := g.possessed(text); ok {
		return v, ok
	}
	if g.spaced && !g.closed && g.how > loose {
		if v, ok := directive(text, g.start, g.at, g.how); ok {
			return v, ok
		}
	}
	if g.verb(text) {
		return tellingWord(text, skipAny(text, g.at, 1, "\"'"))
	}
	if v, ok := g.arrow(text); ok {
		return v, ok
	}
	switch {
	case g.how >= pin && g.spaced && !g.closed:
		if v, ok := wordedValue(text, g.start, g.at, g.how); ok {
			return v, ok
		}
	case !g.spaced && g.at+1 < len(text) && text[g.at] == '[' && g.how >= token:
		return indexed(text, g.at)
	case !g.spaced && g.at+1 < len(text) && text[g.at] == '(':
		return calledWith(text, g.at, g.how)
	case g.spaced && flagged(text, g.start):
		return readValue(text, g.at, value{flag: true})
	case g.spaced:
		if k := typedAssignment(text, g.at); k > 0 {
			return readValue(text, skipAny(text, k, 4, " \t"), value{})
		}
	}
	if g.spaced && !g.closed {
		return toldToken(text, g.at, g.how)
	}
	return value{}, false
}

// possessed reads the value behind a verb that is written with the name: the password's ….
func (g gap) possessed(text []byte) (value, bool) {
	for _, s := range []string{"'s ", "’s "} {
		if g.how == password && hasFold(text[g.end:], s) {
			v := wordAt(text, skipAny(text, g.end+len(s), 2, "\"'`")).emphatic(text)
			b := text[v.start:v.end]
			return v, v.end > v.start && (strongWord(b) || coined(b))
		}
	}
	return value{}, false
}

// verb says whether the name may be the verb "pass": then only a word that gives itself away is a value.
func (g gap) verb(text []byte) bool {
	return g.how == password && g.end-g.start == 4 && hasFold(text[g.start:g.end], "pass") &&
		!ofAccount(text, g.start) && !flagged(text, g.start) && !netrc(text, g.start) && !hasFold(text[g.at:], "is ")
}

// otherSign says whether the sign is no assignment.
func (g gap) otherSign(text []byte) bool {
	switch g.sign {
	case '|': // names that an expression chooses from
		return !g.spaced && g.next < len(text) && text[g.next] > ' ' || inTemplate(text, g.start)
	case ',':
		return !g.closed || g.next >= len(text)
	case '>':
		return g.at > 0 && g.start > 0 && (!tagName(text, g.start) || g.start > 1 && text[g.start-1] == '<' && among("=:", text[g.start-2]))
	case ':': // ${NAME:?why}
		return g.next < len(text) && text[g.next] == '?'
	}
	return false
}

// inTemplate says whether i is inside {{ and }}, where a bar hands a value on.
func inTemplate(text []byte, i int) bool {
	before := text[max(i-maxNameRun, 0):i]
	open := bytes.LastIndex(before, []byte("{{"))
	return open >= 0 && !bytes.Contains(before[open:], []byte("}}"))
}

// signed reads the value behind a sign.
func (g gap) signed(text []byte) (value, bool) {
	next := g.next
	if g.sign == ':' && next < len(text) && text[next] == '-' && g.start > 1 && text[g.start-1] == '{' {
		next++ // ${NAME:-value}
	}
	v := value{tight: g.sign == '=' && !g.spaced && next < len(text) && text[next] > ' ', comma: g.sign == ',', prose: g.sign == '|'}
	at := belowLine(text, skipAny(text, next, 40, " \t"), g.sign)
	if hasFold(text[at:], "!!") {
		at = skipAny(text, skipAny(text, at, 24, "!abcdefghijklmnopqrstuvwxyz"), 4, " \t")
	}
	if g.sign == ':' {
		at = pastAnchor(text, at)
	}
	if k := annotated(text, at, g.sign); k > 0 {
		at = skipAny(text, k, 4, " \t")
		v.tight = false
	}
	at = blockValue(text, at, g.sign)
	switch g.sign {
	case ',':
		if at >= len(text) || strings.IndexByte("\"'`", text[at]) < 0 {
			return value{}, false
		}
	case '>':
		v, ok := readValue(text, at, v)
		return v, ok && text[v.start] != '@' && (v.quoted || v.end == len(text) || text[v.end] == '<' || hasFold(text[v.end:], "&lt;") || v.whole)
	}
	return readValue(text, constructed(text, at, g.how), v)
}

// pastAnchor goes over the name that YAML gives a value before it.
func pastAnchor(text []byte, at int) int {
	if at+1 >= len(text) || text[at] != '&' || !isWord(text[at+1]) {
		return at
	}
	k := at + 1
	for k < len(text) && k-at < 40 && nameByte(text[k]) {
		k++
	}
	if next := skipAny(text, k, 4, " "); next > k && next < len(text) && text[next] > ' ' {
		return next
	}
	return at
}

// belowLine steps over the end of a line to a value that stands on the next one.
func belowLine(text []byte, at int, sign byte) int {
	if at >= len(text) || text[at] != '\n' && text[at] != '\r' || sign != '>' && sign != '=' {
		return at
	}
	k := skipAny(text, at, 60, " \t\r\n")
	if k < len(text) && (sign == '>' || text[k] == '"' || text[k] == '\'') {
		return k
	}
	return at
}
