package policy

import "strings"

// A readForm is one way to call a program that only looks, of a program that does more otherwise: its first words,
// and the grammar of all that follow. Because the words come first, no word behind them can turn a call that does
// more into this one.
type readForm struct {
	first string // words, apart by spaces; "a|b" is either, and * any name
	rest  grammar
}

// named is the grammar of words that are names, of packages, containers or accounts, and never files.
func named(short, long string) grammar {
	return grammar{tier: Green, short: short, long: long, words: map[string]Tier{}, names: true}
}

// nothing is the grammar of no further word.
var nothing = grammar{tier: Green, words: map[string]Tier{}}

// readForms are the programs that have such calls, by subject. The rest of what they do is judged as before.
var readForms = together(readsMachine, readsAccounts, readsServices, readsServers, readsPackages, readsNetwork, readsFirewall, readsDisks, readsCertificates, readsData, readsFiles, readsClusters, map[string][]readForm{"git": gitReads})

func together(all ...map[string][]readForm) map[string][]readForm {
	out := map[string][]readForm{}
	for _, some := range all {
		for prog, forms := range some {
			out[prog] = append(out[prog], forms...)
		}
	}
	return out
}

// looks says whether a call is one that only looks. It takes over what was learned when it is, and leaves j as it was
// when it is not.
func (j *judge) looks(prog string, args []arg) bool {
	if len(args) == 1 && args[0].fixed && tellsVersion(prog, args[0].text) {
		return true
	}
	for _, form := range readForms[prog] {
		for first := range strings.SplitSeq(form.first, "|") {
			if rest, ok := behindWords(first, args); ok && j.passes(form.rest, rest) {
				return true
			}
		}
	}
	return false
}

// passes judges words by a grammar if that understands them all. Of words that it does not, only what holds whatever
// the program would do is kept.
func (j *judge) passes(g grammar, args []arg) bool {
	try := *j
	try.tier, try.why = Green, ""
	try.grammar(g, args)
	if try.tier.Rank() > g.tier.Rank() {
		j.raise(onlyForbidden(try.tier), try.why)
		return false
	}
	try.tier, try.why = j.tier, j.why
	*j = try
	j.raise(g.tier, "It changes something.")
	return true
}

// onlyForbidden keeps of a try that failed what holds whatever the program would do.
func onlyForbidden(t Tier) Tier {
	if t == Forbidden {
		return Forbidden
	}
	return Green
}

// behindWords gives the words behind those that a form begins with.
func behindWords(first string, args []arg) (rest []arg, ok bool) {
	for want := range strings.FieldsSeq(first) {
		if len(args) == 0 || !args[0].fixed || args[0].glob || args[0].text != want && (want != "*" || !unitName.MatchString(args[0].text)) {
			return nil, false
		}
		args = args[1:]
	}
	return args, true
}
