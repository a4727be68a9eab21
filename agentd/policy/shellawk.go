package policy

import (
	"slices"
	"strings"
)

// awkReader reads a program of awk just far enough to be sure that it only computes and prints: no pipe, no
// redirection, no command, no other file, no code from elsewhere. What it does not understand is not reading.
type awkReader struct {
	s       string
	at      int
	prev    string // the token before: a mark, a word, or one of the kinds below
	depth   int    // parentheses and brackets
	print   int    // depth at which a print stands, -1 outside of one
	guesses int    // how often a slash was read both ways
	own     string // the names of its own functions, a space on each side
	calls   string // the names that it calls and that no list here knows, a space behind each
}

// Kinds of tokens that a slash behind would divide.
const (
	awkValue = "value"
	awkBegin = "" // nothing stands before
)

// maxGuesses is how many slashes may be read both ways: each doubles the work.
const maxGuesses = 6

// awkCalls are the words of the language and its functions that compute. A word that is not here and stands before a
// parenthesis may be anything, unless the program says what it is.
var awkCalls = words(`length substr index split sub gsub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper strftime systime mktime gensub asort asorti
	and or xor lshift rshift compl strtonum patsplit print printf if while for switch return in exit`)

// awkNever are words with which a program reaches further.
var awkNever = words(`system getline close fflush func ENVIRON PROCINFO ARGV ARGC ARGIND SYMTAB FUNCTAB nextfile extension load include namespace eval`)

// awkReads says whether a program only computes and prints.
func awkReads(program string) bool {
	if strings.ContainsFunc(program, badRune) {
		return false
	}
	r := awkReader{s: program, print: -1}
	return r.all()
}

func (r *awkReader) all() bool {
	for r.at < len(r.s) {
		if !r.next() {
			return false
		}
	}
	for name := range strings.FieldsSeq(r.calls) {
		if !strings.Contains(r.own, " "+name+" ") {
			return false
		}
	}
	return r.depth == 0
}

func (r *awkReader) next() bool {
	c := r.s[r.at]
	switch {
	case c == ' ' || c == '\t':
		r.at++
	case c == '#':
		for r.at < len(r.s) && r.s[r.at] != '\n' {
			r.at++
		}
	case c == '"':
		return r.text()
	case c == '/':
		return r.slash()
	case c >= '0' && c <= '9' || c == '.':
		for r.at < len(r.s) && (wordPart(r.s[r.at]) && r.s[r.at] != '$' || r.s[r.at] == '.') {
			r.at++
		}
		r.prev = awkValue
	case wordStart(c):
		return c < 0x80 && r.word()
	default:
		return r.mark(c)
	}
	return true
}

// text reads a string constant.
func (r *awkReader) text() bool {
	for i := r.at + 1; i < len(r.s); i++ {
		switch r.s[i] {
		case '\\':
			i++
		case '\n':
			return false
		case '"':
			r.at, r.prev = i+1, awkValue
			return true
		}
	}
	return false
}

// slash divides behind a value and begins a pattern behind everything else. Behind a closing parenthesis it may be
// either: the program must be harmless in both readings.
func (r *awkReader) slash() bool {
	switch r.prev {
	case awkValue, "]":
		r.at++
		r.prev = "/"
		return true
	case ")", "++", "--":
		if r.guesses++; r.guesses > maxGuesses {
			return false
		}
		divides := *r
		divides.at++
		divides.prev = "/"
		if !divides.all() {
			return false
		}
		if strings.IndexByte(r.s[r.at+1:], '/') < 0 { // no pattern would end
			r.at = len(r.s)
			r.depth = 0
			return true
		}
	}
	return r.pattern()
}

// pattern reads a regular expression. A slash in brackets ends it in some versions and not in others.
func (r *awkReader) pattern() bool {
	bracket := false
	for i := r.at + 1; i < len(r.s); i++ {
		switch c := r.s[i]; {
		case c == '\\':
			i++
		case c == '\n', c == '/' && bracket:
			return false
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case c == '/':
			r.at, r.prev = i+1, awkValue
			return true
		}
	}
	return false
}

func (r *awkReader) word() bool {
	from := r.at
	for r.at < len(r.s) && wordPart(r.s[r.at]) && r.s[r.at] != '$' && r.s[r.at] < 0x80 {
		r.at++
	}
	w := r.s[from:r.at]
	call := r.at < len(r.s) && r.s[r.at] == '('
	switch {
	case awkNever[w], r.prev == "function" && awkCalls[w]:
		return false
	case r.prev == "function":
		r.own += " " + w + " "
		r.prev = awkValue
	case w == "function":
		r.prev = w
	case call && !awkCalls[w]:
		r.calls += w + " "
		r.prev = awkValue
	case w == "print" || w == "printf":
		r.print = r.depth
		r.prev = w
	case slices.Contains([]string{"in", "return", "else", "do", "case", "if", "while", "for", "delete", "exit"}, w):
		r.prev = w
	case w == "length" && !call:
		r.prev = ")" // some versions divide behind it, others begin a pattern
	default:
		r.prev = awkValue
	}
	return true
}

// mark reads an operator or a bracket.
func (r *awkReader) mark(c byte) bool {
	two := ""
	if r.at+1 < len(r.s) {
		two = r.s[r.at : r.at+2]
	}
	if two == "||" || two == "&&" || two == "++" || two == "--" || two == "==" || two == "<=" || two == "!=" {
		r.at += 2
		r.prev = two
		return true
	}
	switch c {
	case '(', '[':
		r.depth++
	case ')', ']':
		r.depth--
	case '\n', ';', '}', '{':
		if !r.end(c) { // what stood before still counts: any number of line ends may follow it
			r.at++
			return true
		}
	case '>':
		if r.print >= 0 && r.depth <= r.print {
			return false // it writes a file
		}
	}
	r.at++
	r.prev = string(c)
	return strings.IndexByte("()[]{}\n;,>+-*%^!~?:=<$", c) >= 0 && r.depth >= 0
}

// end ends a print, unless the line goes on.
func (r *awkReader) end(c byte) bool {
	if c == '\n' && slices.Contains([]string{",", "&&", "||", "?", ":", "{"}, r.prev) {
		return false
	}
	if r.depth <= r.print || c != '\n' {
		r.print = -1
	}
	return true
}
