package policy

// holding are programs that may write on the way, with the flags that keep those from it that shall only read: a
// database that makes its file or its log, a repository that names programs of its own.
var holding = map[string][]string{
	"sqlite3": {"-readonly"},
	"git": {
		"--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
		"-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never", "-c", "log.showSignature=false", "-c", "core.untrackedCache=false", "-c", "diff.submodule=short",
	},
}

// Holding are the flags without which a call of a program that counts as reading is none. Who runs it puts them before
// its words; a program that nobody puts them before must not be counted so.
func Holding(prog string) []string { return holding[prog] }
