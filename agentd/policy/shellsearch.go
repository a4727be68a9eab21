package policy

import (
	"slices"
	"strings"
)

// searches notes where a search looks that goes into folders: its operands, and the working folder unless one of them
// is for sure no pattern. A word too many there does no harm; one too few would be a folder that nobody looks at.
func (j *judge) searches(g grammar, args []arg) {
	ops := operandsOf(args)
	if !g.isGiven(args) && len(ops) > 0 {
		ops = ops[1:]
	}
	j.into(ops, 0)
	if g.operandsForSure(args) < 1 {
		j.into(nil, 1)
	}
}

// operandsForSure is how many words are operands, and neither the pattern nor what a flag asks for.
func (g grammar) operandsForSure(args []arg) int {
	n, given := 0, false
	for i := 0; i < len(args); i++ {
		a := args[i].text
		if a == "--" {
			n += len(args) - i - 1
			break
		}
		if len(a) < 2 || a[0] != '-' {
			n++
			continue
		}
		gives, takes := g.asked(a)
		given = given || gives
		if takes {
			i++
		}
	}
	if given {
		return n
	}
	return n - 1
}

// asked says whether a flag gives the pattern, and whether its value is the next word.
func (g grammar) asked(flag string) (gives, takes bool) {
	if long, ok := strings.CutPrefix(flag, "--"); ok {
		name, _, has := strings.Cut(long, "=")
		known := strings.Fields(g.long)
		return name == "regexp" || name == "file", !has && slices.Contains(known, name+"=") && !slices.Contains(known, name)
	}
	for i := 1; i < len(flag); i++ {
		if strings.Contains(g.short, flag[i:i+1]+":") {
			return strings.Contains(g.given, flag[i:i+1]), i == len(flag)-1
		}
	}
	return false, false
}
