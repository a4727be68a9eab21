package policy

import (
	"errors"
	"strings"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

// sqlKind is what a piece of SQL is.
type sqlKind uint8

const (
	sqlWord   sqlKind = iota // a bare word, in lower case
	sqlName                  // a quoted name, as written
	sqlString                // a text or number: nothing that runs
	sqlMark                  // one character of anything else
)

type sqlToken struct {
	kind sqlKind
	text string
}

// is says whether the token is the bare word or mark s.
func (t sqlToken) is(s string) bool { return (t.kind == sqlWord || t.kind == sqlMark) && t.text == s }

// How much of a query is looked at. What is longer, or nested deeper, is refused.
const (
	maxSQL       = 64 << 10 // bytes
	maxSQLTokens = 8192
	maxSQLNested = 32 // comments within comments
)

var (
	errSQLText = errors.New("The query holds characters that cannot be seen.")
	errSQLLong = errors.New("The query is too long.")
	errSQLOpen = errors.New("A text, name or comment in the query does not end.")
)

// sqlLexer splits a query into tokens the way its engine does. Where engines, or settings of one engine, would split
// differently it says so in doubt instead of choosing: what is in doubt is not reading.
type sqlLexer struct {
	s      string
	at     int
	engine string
	escape bool // a backslash in a text takes the next character along
	tokens []sqlToken
	doubt  string
}

// lexSQL gives the tokens of a query, and what in it could be read in two ways. escape is one of the two: whether a
// backslash escapes depends on settings of the server.
func lexSQL(query, engine string, escape bool) (tokens []sqlToken, doubt string, err error) {
	if err := badSQL(query); err != nil {
		return nil, "", err
	}
	l := &sqlLexer{s: query, engine: engine, escape: escape}
	for l.at < len(l.s) {
		if err := l.next(); err != nil {
			return nil, "", err
		}
		if len(l.tokens) > maxSQLTokens {
			return nil, "", errSQLLong
		}
	}
	return l.tokens, l.doubt, nil
}

// badSQL refuses NUL first (some parsers end there), then what engines take for a space or the end of a line and
// others do not.
func badSQL(s string) error {
	switch {
	case len(s) > maxSQL:
		return errSQLLong
	case !utf8.ValidString(s), strings.ContainsFunc(strings.ReplaceAll(s, "\r\n", "\n"), badRune):
		return errSQLText
	}
	return nil
}

func (l *sqlLexer) unsure(why string) {
	if l.doubt == "" {
		l.doubt = why
	}
}

func (l *sqlLexer) add(k sqlKind, text string) { l.tokens = append(l.tokens, sqlToken{k, text}) }

// rest is what has not been read yet.
func (l *sqlLexer) rest() string { return l.s[l.at:] }

func (l *sqlLexer) next() error {
	c := l.s[l.at]
	switch {
	case strings.IndexByte(" \t\n\r", c) >= 0:
		l.at++
	case strings.HasPrefix(l.rest(), "--"):
		l.dashes()
	case c == '#' && l.engine == mysql:
		l.line()
	case strings.HasPrefix(l.rest(), "/*"):
		return l.comment()
	case c == '\'':
		return l.quoted('\'', sqlString)
	case c == '"':
		return l.quoted('"', sqlName)
	case c == '`':
		return l.backtick()
	case c == '[' && l.engine == sqlite:
		return l.bracket()
	case c == '$' && l.engine == postgres:
		return l.dollar()
	case c >= '0' && c <= '9':
		l.number()
	case wordStart(c):
		l.word()
	default:
		l.mark(c)
	}
	return nil
}

// mark is one character, or an operator: each of its characters. A backslash is a command of a client, not of the engine.
func (l *sqlLexer) mark(c byte) {
	if c == '\\' {
		l.unsure("A backslash stands outside of a text.")
	}
	signs := 1
	if op := operatorAt(l.rest()); l.engine == postgres && op != "" {
		if signs = len(op); !sqlOperators[op] {
			l.unsure("An operator may be one that somebody wrote.")
		}
	}
	for range signs {
		l.add(sqlMark, l.s[l.at:l.at+1])
		l.at++
	}
}

// dashes is a comment to the end of the line. MySQL wants a space behind the dashes, else they are two minus signs.
func (l *sqlLexer) dashes() {
	if l.engine == mysql && len(l.rest()) > 2 && strings.IndexByte(" \t\n\r", l.rest()[2]) < 0 {
		l.unsure("Two dashes may be a comment or not.")
	}
	l.line()
}

func (l *sqlLexer) line() {
	end := strings.IndexByte(l.rest(), '\n')
	if end < 0 {
		l.at = len(l.s)
		return
	}
	l.at += end
}

// comment skips a comment in stars. Postgres nests them, the others do not; what MySQL runs from a comment stays.
func (l *sqlLexer) comment() error {
	body := l.rest()[2:]
	if strings.HasPrefix(body, "!") || strings.HasPrefix(body, "M!") {
		l.unsure("A comment holds what MySQL runs.")
		l.at += 2 + strings.IndexByte(body, '!') + 1
		return nil // its text is read as a part of the query; the closing star and slash are two marks
	}
	l.at += 2
	for depth := 1; depth > 0; {
		open, end := strings.Index(l.rest(), "/*"), strings.Index(l.rest(), "*/")
		switch {
		case end < 0 || depth > maxSQLNested:
			return errSQLOpen
		case open >= 0 && open < end:
			l.at += open + 2
			l.unsure("A comment stands in a comment.")
			if l.engine == postgres {
				depth++
			}
		default:
			l.at += end + 2
			depth--
		}
	}
	return nil
}

// quoted reads to the closing quote; two of them are one. Whether a backslash escapes the quote depends on settings.
func (l *sqlLexer) quoted(q byte, k sqlKind) error {
	from := l.at + 1
	for i := from; i < len(l.s); i++ {
		switch {
		case l.s[i] == '\\' && (k == sqlString || l.engine == mysql):
			if i+1 < len(l.s) && (l.s[i+1] == q || l.s[i+1] == '\\') {
				l.unsure("A backslash may end a text or not.")
			}
			if l.escape {
				i++
			}
		case l.s[i] != q:
		case i+1 < len(l.s) && l.s[i+1] == q:
			i++
		default:
			l.at = i + 1
			l.add(k, l.s[from:i])
			return nil
		}
	}
	return errSQLOpen
}

func (l *sqlLexer) backtick() error {
	if l.engine == postgres {
		l.unsure("Postgres knows no backticks.")
	}
	return l.quoted('`', sqlName)
}

func (l *sqlLexer) bracket() error {
	end := strings.IndexByte(l.rest(), ']')
	if end < 0 {
		return errSQLOpen
	}
	l.add(sqlName, l.rest()[1:end])
	l.at += end + 1
	return nil
}

// dollar reads $tag$text$tag$ or a parameter $1.
func (l *sqlLexer) dollar() error {
	rest := l.rest()
	n := 1
	for n < len(rest) && wordPart(rest[n]) && rest[n] != '$' {
		n++
	}
	if n == len(rest) || rest[n] != '$' || n > 1 && rest[1] >= '0' && rest[1] <= '9' {
		if !sqlNumber.MatchString(rest[1:n]) {
			l.unsure("A number runs into a word.")
		}
		l.at += n
		l.add(sqlString, "")
		return nil
	}
	tag := rest[:n+1]
	end := strings.Index(rest[n+1:], tag)
	if end < 0 {
		return errSQLOpen
	}
	l.add(sqlString, rest[n+1:n+1+end])
	l.at += 2*len(tag) + end
	return nil
}

// sqlNumber is a number to its end, and sqlNumbered a name of MySQL that begins with digits.
var (
	sqlNumber   = lazyre.MustCompile(`(?i)^(?:[0-9][0-9_]*\.?[0-9_]*(?:e[0-9]*)?|0x[0-9a-f_]+|0o[0-7_]+|0b[01_]+)$`)
	sqlNumbered = lazyre.MustCompile(`(?i)^[0-9]+(?:[^0-9.e]|e[^0-9.])[^.]*$`)
)

// number reads a number. Some engines end it where a word begins: for them 1.INTO is two tokens.
func (l *sqlLexer) number() {
	from := l.at
	for l.at < len(l.s) && (wordPart(l.s[l.at]) || l.s[l.at] == '.') {
		l.at++
	}
	text := l.s[from:l.at]
	if !sqlNumber.MatchString(text) && !(l.engine == mysql && sqlNumbered.MatchString(text)) {
		l.unsure("A number runs into a word.")
	}
	l.add(sqlString, text)
}

// word reads a bare word, or the text that a prefix such as E announces.
func (l *sqlLexer) word() {
	from := l.at
	for l.at < len(l.s) && wordPart(l.s[l.at]) {
		l.at++
	}
	text := strings.ToLower(l.s[from:l.at])
	if l.at < len(l.s) && (l.s[l.at] == '\'' || l.s[l.at] == '&' && text == "u") {
		if text == "e" || text == "u" || strings.HasPrefix(text, "_") {
			l.unsure("A text is written with escapes.")
		}
	}
	l.add(sqlWord, text)
}

func wordStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func wordPart(c byte) bool { return wordStart(c) || c >= '0' && c <= '9' || c == '$' }
