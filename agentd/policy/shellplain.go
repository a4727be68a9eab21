package policy

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// Commands of the table with one way to be more than reading that a list of flags cannot tell.

// rg searches in all folders below.
func (j *judge) rg(args []arg) {
	g := grammar{
		tier: Green, short: "A:B:C:ciFHhIlLnNoSsuvwx0g:t:T:e:m:U.p", first: true, given: "e",
		long: "after-context= before-context= context= count files files-with-matches fixed-strings glob= heading hidden ignore-case line-number max-count= max-depth= no-heading " +
			"no-ignore no-line-number only-matching regexp= smart-case sort= stats type= type-list vimgrep with-filename word-regexp color= json multiline invert-match",
	}
	j.grammar(g, args)
	j.searches(g, args)
}

var (
	psValues = lazyre.MustCompile(`^-[A-Za-z]*[opqtuUgGkCs]$|^--(sort|user|User|group|Group|pid|ppid|format|tty|sid)$`)
	psShows  = lazyre.MustCompile(`^[a-zA-Z]*e[a-zA-Z]*$`)
)

// ps shows the settings of programs with the letter e that stands without a dash.
func (j *judge) ps(args []arg) {
	j.grammar(table["ps"], args)
	for i, a := range args {
		if strings.Contains(strings.ToLower(a.text), "environ") || psShows.MatchString(a.text) && (i == 0 || !psValues.MatchString(args[i-1].text)) {
			j.raise(Red, "It prints the settings of programs with their values.")
		}
	}
	if psBare(args) {
		j.raise(Red, "It may print the settings of programs with their values.")
	}
}

// psBare says whether ps may read -e as it reads e. It reads all flags without their dash when one of them is none of
// those with a dash, or asks for a terminal that is not there.
func psBare(args []arg) bool {
	bare, shows := false, false
	for _, a := range args {
		letters, _, _ := strings.Cut(a.text, "o") // behind it the names of columns may stand
		if len(letters) < 2 || letters[0] != '-' || letters[1] == '-' {
			continue
		}
		shows = shows || strings.Contains(letters, "e")
		bare = bare || strings.ContainsAny(letters, "xtrvhkSXEDKRWY")
	}
	return bare && shows
}

// printf sets a variable with -v, and what its name holds is worked out first.
func (j *judge) printf(args []arg) {
	j.grammar(table["printf"], args)
	if anyWord(args, func(w string) bool { return strings.HasPrefix(w, "-v") }) {
		j.raise(Forbidden, noBuiltin)
	}
}

// looksAtFile are the words of test behind which the name of a file stands, comparesFiles those with one on both sides.
var (
	looksAtFile   = words("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S -nt -ot -ef")
	comparesFiles = words("-nt -ot -ef")
	testWords     = words("-n -z -o -t -l -eq -ne -lt -le -gt -ge ! ( ) ]")
)

// testJoins are what may stand behind a test of a file.
var testJoins = words("-a -o ) ] \\)")

// test compares and looks at files. Names of variables and numbers are worked out by shells, with the commands in
// them. To look whether a file is there tells little: one that is not known before it runs is judged then.
func (j *judge) test(args []arg) {
	for i, a := range args {
		switch {
		case i > 1 && looksAtFile[args[i-2].text] && !testJoins[a.text]:
			j.raise(Red, "The gate does not understand this test.")
		case a.fixed && (a.text == "-v" || a.text == "-R"), strings.Contains(a.text, "$("), strings.Contains(a.text, "`"):
			j.raise(Red, "A shell would run what stands in it.")
		case i > 0 && looksAtFile[args[i-1].text], i < len(args)-1 && comparesFiles[args[i+1].text], a.glob:
			if a.fixed || a.text != "" {
				j.path(a, false, nil)
			}
		case a.fixed && len(a.text) == 2 && a.text[0] == '-' && !looksAtFile[a.text] && !testWords[a.text] && i == 0:
			j.raise(Red, "The gate does not understand this test.")
		}
	}
}

// cp from nothing empties a file.
func (j *judge) cp(args []arg) {
	j.grammar(table["cp"], args)
	if anyWord(args, func(w string) bool { return w == "/dev/null" || w == "/dev/zero" }) {
		j.raise(Red, "It empties a file.")
	}
}

// kill ends programs; -1 is all of them.
func (j *judge) kill(args []arg) {
	if len(args) > 0 && args[0].fixed && (args[0].text == "-l" || args[0].text == "-L") && j.passes(grammar{tier: Green, shape: signal, max: 1}, args[1:]) {
		return // it lists the names of signals
	}
	j.unknown("kill", args)
	if len(args) > 1 && anyWord(args[1:], func(w string) bool { return w == "-1" || w == "1" || w == "0" }) {
		j.raise(CriticalRed, "It ends everything at once.")
	}
}

// tee into nothing writes nothing.
func (j *judge) tee(args []arg) {
	if slices.ContainsFunc(operandsOf(args), func(a arg) bool { return !a.fixed || a.text != "/dev/null" }) {
		j.grammar(table["tee"], args)
		return
	}
	j.grammar(grammar{tier: Green, short: "ai", long: "append", outside: []string{"/dev/null"}}, args)
}

// socketHost is an address, and no name that would have to be looked up.
var socketHost = lazyre.MustCompile(`^(?:localhost|[0-9.]+|\[[0-9a-fA-F:.]+\])(?::[0-9A-Za-z,-]+)?$`)

// lsof looks into a folder that stands behind +D or +d.
func (j *judge) lsof(args []arg) {
	var rest []arg
	for i := 0; i < len(args); i++ {
		if (args[i].text == "+D" || args[i].text == "+d") && args[i].fixed && i+1 < len(args) {
			i++
			j.path(args[i], false, nil)
			continue
		}
		if args[i].text == "+L1" && args[i].fixed {
			continue // files without a name that are still open
		}
		if _, host, ok := strings.Cut(args[i].text, "@"); ok && !socketHost.MatchString(host) {
			j.raise(Red, "It looks up the name of a host elsewhere.")
		}
		rest = append(rest, args[i])
	}
	j.grammar(table["lsof"], rest)
}
