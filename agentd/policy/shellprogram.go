package policy

import (
	"path"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

var programName = lazyre.MustCompile(`^(\[|[A-Za-z_][A-Za-z0-9_.+-]*|7z[arz]?|\.|:)$`)

// Binaries are the folders in which programs are looked for, in order.
var Binaries = []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}

// program is the bare name of a command, or why it is none that may run.
func program(name string) (prog, why string) {
	if dir, base := path.Split(name); dir != "" {
		if !slices.Contains(Binaries, path.Clean(dir)) || !path.IsAbs(name) {
			return "", "Only programs of the system run, not files of the data folder or elsewhere."
		}
		name = base
	}
	if !programName.MatchString(name) {
		return "", "The name of the command is not one of a program."
	}
	return name, ""
}

// Never says why a program may not run, whoever approves; empty when it may.
func Never(prog string) string {
	if why, ok := never[prog]; ok {
		return why
	}
	return never[family(prog)]
}

// family is a name without its version: python3.11 is a python, mkfs.ext4 a mkfs. A script.py is no script.
func family(prog string) string {
	name, kind, _ := strings.Cut(prog, ".")
	if fileKinds[kind] {
		return prog
	}
	return strings.TrimRight(name, "0123456789-")
}

// fileKinds are endings of files that are no programs of the system.
var fileKinds = words("bak c cfg conf csv css go gz html ini java js json log lua md old out php pl py rb rs sh sql tar toml ts txt xml yaml yml zip")

// startsSomething says whether a word is the name of a program that the gate has an opinion on.
func startsSomething(word string) bool {
	prog, why := program(word)
	if why != "" {
		return false
	}
	a := Never(prog) != ""
	_, b := special[prog]
	_, c := table[prog]
	_, d := risky[family(prog)]
	return a || b || c || d
}
