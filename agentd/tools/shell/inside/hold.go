package inside

import (
	"path/filepath"
	"slices"

	"gatehouse/agentd/policy"
)

// besides are flags behind a command of git: what lies in a submodule has settings of its own, which ours do not reach.
var besides = map[string]string{"status": "--ignore-submodules=all", "diff": "--ignore-submodules=all"}

// submodule is what git submodule comes to: that command itself is a script for a shell.
const submodule = "submodule--helper"

// hold puts the flags of ours behind the reader in a command, which may stand behind wrappers.
func hold(argv, programs []string) []string {
	at := readerAt(argv, programs)
	if at < 0 {
		return argv
	}
	rest := argv[at+1:]
	if filepath.Base(argv[at]) == "git" {
		n := gitFlags(rest)
		switch {
		case n == len(rest):
		case besides[rest[n]] != "":
			rest = slices.Insert(slices.Clone(rest), n+1, besides[rest[n]])
		case rest[n] == "submodule":
			rest = slices.Replace(slices.Clone(rest), n, n+1, submodule)
		}
	}
	return slices.Concat(argv[:at+1], policy.Holding(filepath.Base(argv[at])), rest)
}

// readerAt is where in a command a reader stands, -1 when there is none. Of the programs that start it is the last;
// the words of wrappers before it are numbers, signals and settings, and its name among its own words means nothing.
func readerAt(argv, programs []string) int {
	name := programs[len(programs)-1]
	if policy.Holding(name) == nil || len(programs) > 1 && !policy.Wraps(programs[0]) {
		return -1
	}
	return slices.IndexFunc(argv, func(w string) bool { return w == name || filepath.IsAbs(w) && filepath.Base(w) == name })
}
