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
	enters   bool            // it goes into folders that it is given, whatever its flags
	outside  []string        // paths outside that the operands may be as well

	word       map[string]bool // words that are understood wherever they stand; others are names of files
	certs      bool            // *.pem are certificates, and not keys
	shape      *lazyre.Regexp  // what operands look like, which are no files then
	never      *lazyre.Regexp  // what no word may look like
	git        bool            // operands are revisions or files
	digitsOnly bool            // operands are numbers
}

var number = lazyre.MustCompile(`^-[0-9]+[kKmMgGbcwsdh]?$`)

// grammar judges the words of a command of the table.
func (j *judge) grammar(g grammar, args []arg) {
	j.raise(g.tier, "It changes something.")
	operands, numbers, verb, many, ended := 0, 0, 0, false, false
	g.first = g.first && !g.isGiven(args)
	values := g.values(args)
	for i, a := range args {
		if g.never != nil && g.never.MatchString(a.text) {
			j.raise(Red, "It may print secrets.")
		}
		if g.word != nil && g.raise[a.text] == "" && g.word[a.text] && a.fixed {
			continue
		}
		before := ended
		ended = ended || a.text == "--"
		if len(a.text) > 1 && a.text[0] == '-' && !(g.text && !a.glob) {
			j.flag(g, a)
			if g.verb && i > 0 && g.asks(args[i-1]) {
				j.raise(Red, "The gate does not understand a flag behind one that asks for a value.")
			}
			if !before { // behind a lone -- it is an operand, and judged as a flag as well: not every program knows that sign
				continue
			}
		}
		operands++
		many = many || a.glob || !a.fixed && !a.one
		if values[i] && a.text != "" && strings.Trim(a.text, "0123456789") == "" {
			numbers++ // what a flag asks for
		}
		if values[i] && g.words != nil && !g.verb && a.fixed && !a.glob {
			continue // no file, and no subcommand
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
	switch {
	case g.enters:
		j.into(operandsOf(args), 1)
	case g.tree == "" || !hasFlag(args, g.tree):
	case g.given != "":
		j.searches(g, args)
	default:
		j.into(operandsOf(args), 1)
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
