package policy

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

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
			j.raise(Red, "The gate does not understand "+visible(a.text)+" here.")
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

var unitName = lazyre.MustCompile(`^[A-Za-z0-9_@+][A-Za-z0-9_.:@*=+, -]*$`)

func (j *judge) subcommand(g grammar, a arg, n int) {
	t, ok := g.words[a.text]
	switch {
	case ok:
		j.raise(t, "It is more than reading.")
	case !g.names || g.verb && n == 1 || !unitName.MatchString(a.text):
		j.raise(Red, "The gate does not understand "+visible(a.text)+" here.")
	}
}
