package policy

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// A grammar says which words of a command are understood. Each word is judged by itself, wherever it stands, so that
// adding a word can never make another one look harmless.
type grammar struct {
	tier     Tier            // when every word is understood
	short    string          // flags of one letter; a colon behind one: it takes a value
	long     string          // flags in words, apart by spaces; "=" behind one: it takes a value
	raise    map[string]Tier // flags that are understood and worse
	text     bool            // operands are text, not names of files
	first    bool            // the first operand is text
	given    string          // the two letters of the flags that give what is the first operand otherwise: -e PATTERN, -f FILE
	plus     bool            // operands must begin with + (a format)
	slash    bool            // a lone / or tab is a separator: the command does nothing to folders
	digits   bool            // -5 is a flag
	words    map[string]Tier // the operands that are understood: subcommands. Others are names if names is set
	names    bool            // operands that are no subcommand are names of units, devices, containers
	verb     bool            // the first operand must be a subcommand that is understood
	max      int             // most operands; 0: any number
	second   bool            // with max: one more would be written to
	writes   bool            // operands are changed
	replaces bool            // the last operand is replaced, if it is there
	all      bool            // with replaces: every operand is, not the last alone
	tree     string          // letters of the flags with which it goes into folders
	outside  []string        // paths outside that the operands may be as well

	word       map[string]bool // words that are understood wherever they stand; others are names of files
	certs      bool            // *.pem are certificates, and not keys
	shape      *lazyre.Regexp  // what operands look like, which are no files then
	never      *lazyre.Regexp  // what no word may look like
	git        bool            // operands are revisions or files
	digitsOnly bool            // operands are numbers
}

var number = lazyre.MustCompile(`^-[0-9]+[kKmMgGbcwsd]?$`)

// grammar judges the words of a command of the table.
func (j *judge) grammar(g grammar, args []arg) {
	j.raise(g.tier, "It changes something.")
	operands, numbers, verb, many := 0, 0, 0, false
	g.first = g.first && !g.isGiven(args)
	values := g.values(args)
	for i, a := range args {
		if g.never != nil && g.never.MatchString(a.text) {
			j.raise(Red, "It may print secrets.")
		}
		if g.word != nil && g.raise[a.text] == "" && g.word[a.text] && a.fixed {
			continue
		}
		if len(a.text) > 1 && a.text[0] == '-' && !(g.text && !a.glob) {
			j.flag(g, a)
			if g.verb && i > 0 && g.asks(args[i-1]) {
				j.raise(Red, "The gate does not understand a flag behind one that asks for a value.")
			}
			continue
		}
		operands++
		many = many || a.glob || !a.fixed && !a.one
		if values[i] && a.text != "" && strings.Trim(a.text, "0123456789") == "" {
			numbers++ // what a flag asks for
		}
		if values[i] && g.words != nil && !g.verb && a.fixed && !a.glob {
			continue // no file, and no subcommand
		}
		if g.plus && i > 0 && g.dateValue(args[:i], a) {
			continue
		}
		if g.plus && i > 0 && args[i-1].text == "-r" && a.fixed && strings.ContainsAny(a.text, "abcdefghijklmnopqrstuvwxyz") {
			j.path(a, false, nil) // the time of a file
			continue
		}
		if verb++; verb == 1 && i > 0 && g.asks(args[i-1]) {
			verb = 0 // it may be what the flag before it asks for: then the next one is the first
		}
		j.operand(g, a, g.nth(operands, verb))
	}
	if g.max > 0 && operands-numbers > g.max || g.second && many {
		j.raise(Red, "It has more operands than the gate understands.")
	}
	if g.replaces && operands > 0 {
		j.replaced(g, args)
	}
	if g.tree != "" && hasFlag(args, g.tree) {
		ops := operandsOf(args)
		if g.first && len(ops) > 0 {
			ops = ops[1:]
		}
		j.into(ops, 1)
	}
}

// nth is the place of an operand: of a program that is told what to do by a word, that among the words that are for
// sure no value of a flag.
func (g grammar) nth(operands, verb int) int {
	if g.verb {
		return verb
	}
	return operands
}

// asks says whether a flag may take the next word as its value.
func (g grammar) asks(a arg) bool {
	if len(a.text) < 2 || a.text[0] != '-' || a.text == "--" || strings.Contains(a.text, "=") {
		return false // "--" asks for nothing: the next word is the first, whatever stood before
	}
	if name, ok := strings.CutPrefix(a.text, "--"); ok {
		for known := range strings.SplitSeq(g.long, " ") {
			if bare, takes := strings.CutSuffix(known, "="); takes && strings.HasPrefix(bare, name) {
				return true
			}
		}
		return false
	}
	return strings.Contains(g.short, a.text[len(a.text)-1:]+":")
}

// operand judges a word that is no flag; n counts from 1.
func (j *judge) operand(g grammar, a arg, n int) {
	switch {
	case !a.fixed && !a.glob && j.open(g, a, n):
	case g.words != nil:
		j.subcommand(g, a, n)
	case g.shape != nil:
		if !a.fixed && a.origin == plain && !a.glob && a.text == "" {
			return
		}
		if !a.fixed || a.glob || !g.shape.MatchString(a.text) {
			j.raise(Red, "The gate does not understand "+cut(visible(a.text), 40)+" here.")
		}
	case g.git:
		j.revision(a)
	case g.digitsOnly && strings.Trim(a.text, "0123456789") != "":
		j.raise(Red, "It takes a number here.")
	case g.word != nil && g.word[a.text]:
	case g.certs && strings.HasSuffix(a.text, ".pem") && !keyName.MatchString(a.text):
		j.path(arg{text: strings.TrimSuffix(a.text, ".pem"), fixed: a.fixed, glob: a.glob}, false, nil)
	case a.glob:
		j.path(a, g.writes, g.outside)
	case g.text, g.first && n == 1, g.slash && (a.text == "/" || a.text == "\t"):
	case g.plus:
		if !strings.HasPrefix(a.text, "+") {
			j.raise(Red, "It may set something.")
		}
	default:
		j.path(a, g.writes, g.outside)
	}
}

// open judges a word that is not known before it runs, and says whether that is all there is to judge. A command that
// only prints its words may be given any; a pattern, a name or a file must at least come from elsewhere than the
// command itself.
func (j *judge) open(g grammar, a arg, n int) bool {
	switch {
	case g.text:
		return true
	case g.tier != Green, a.origin == made && !(g.first && n == 1 && a.one):
		j.raise(Red, "What it works on is only known when it runs.")
		return true
	case g.first && n == 1:
		return true
	case g.words != nil:
		if !g.names || g.verb && n == 1 {
			j.raise(Red, "What it does is only known when it runs.")
		}
		return true
	}
	return false
}

// keyName is in the names of files that hold keys.
var keyName = lazyre.MustCompile(`(?i)key|priv|secret|[*?\[]`)

// dateValue says whether a is what the flag before it asks for, and could not be a time to set the clock to: of a word
// that is not all known, a letter is. A flag that is itself asked for by another one asks for nothing.
func (g grammar) dateValue(before []arg, a arg) bool {
	n := len(before)
	flag := before[n-1]
	return strings.Contains(g.short, "d:") && (flag.text == "-d" || flag.text == "--date") && (n < 2 || !g.asks(before[n-2])) &&
		(a.fixed && strings.Trim(a.text, "0123456789.") != "" || neverClock(a))
}

// neverClock says whether a word that is not all known still cannot be a time to set the clock to.
func neverClock(a arg) bool {
	return !a.fixed && a.one && strings.ContainsAny(a.text, "abcdefghijklmnopqrstuvwxyz")
}

var unitName = lazyre.MustCompile(`^[A-Za-z0-9_@+][A-Za-z0-9_.:@*=+, -]*$`)

func (j *judge) subcommand(g grammar, a arg, n int) {
	t, ok := g.words[a.text]
	switch {
	case ok:
		j.raise(t, "It is more than reading.")
	case !g.names || g.verb && n == 1 || !unitName.MatchString(a.text):
		j.raise(Red, "The gate does not understand "+cut(visible(a.text), 40)+" here.")
	}
}

// flag judges a word that begins with a dash.
func (j *judge) flag(g grammar, a arg) {
	if t, ok := g.raise[strings.SplitN(a.text, "=", 2)[0]]; ok {
		j.raise(t, "The flag "+cut(visible(a.text), 40)+" does more than reading.")
		return
	}
	for name, t := range g.raise {
		if given, _, _ := strings.Cut(a.text, "="); len(given) > 3 && strings.HasPrefix(name, given) {
			j.raise(t, "The flag "+cut(visible(a.text), 40)+" may be short for one that does more than reading.")
		}
	}
	if !a.fixed && (a.origin > plain || g.tier != Green) || !j.understood(g, a.text) {
		j.raise(Red, "The gate does not understand the flag "+cut(visible(a.text), 40)+" here.")
	}
}

func (j *judge) understood(g grammar, f string) bool {
	if f == "--" || f == "--help" || f == "--version" || g.digits && number.MatchString(f) {
		return true
	}
	if name, ok := strings.CutPrefix(f, "--"); ok {
		return j.longFlag(g, name)
	}
	return j.letters(g, f[1:])
}

func (j *judge) longFlag(g grammar, f string) bool {
	name, value, has := strings.Cut(f, "=")
	for known := range strings.SplitSeq(g.long, " ") {
		bare, takes := strings.CutSuffix(known, "=")
		if bare == name && name != "" && (takes || !has) {
			j.value(g, value)
			return true
		}
	}
	return false
}

// letters judges -abc: each letter must be known, and raises as -a would.
func (j *judge) letters(g grammar, f string) bool {
	for i, r := range f {
		if t, ok := g.raise["-"+string(r)]; ok {
			j.raise(t, "The flag -"+string(r)+" does more than reading.")
		}
		at := strings.IndexRune(g.short, r)
		if at < 0 || r == ':' {
			if _, ok := g.raise["-"+string(r)]; ok {
				continue
			}
			return false
		}
		if at+1 < len(g.short) && g.short[at+1] == ':' {
			j.value(g, f[i+len(string(r)):])
			return true
		}
	}
	return true
}

// value judges what stands behind a flag in the same word: it may be the name of a file.
func (j *judge) value(g grammar, v string) {
	if g.git { // -L1,2:file
		j.path(arg{text: v[strings.LastIndexByte(v, ':')+1:], fixed: true}, false, nil)
		return
	}
	if v == "" || v == "\t" || g.slash && v == "/" || g.text || g.shape != nil {
		return
	}
	if strings.ContainsAny(v, "*?[") {
		j.pattern(v)
	}
	j.path(arg{text: v, fixed: true}, g.writes, g.outside)
}
