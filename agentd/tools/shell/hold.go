package shell

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/policy"
)

// readers are programs that may write on the way, with the flags that keep those from it that shall only read: a
// database that makes its file or its log, a repository that names programs of its own.
var readers = map[string][]string{
	"sqlite3": {"-readonly"},
	"git": {
		"--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
		"-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never", "-c", "log.showSignature=false", "-c", "core.untrackedCache=false", "-c", "diff.submodule=short",
	},
}

// besides are flags behind a command of git: what lies in a submodule has settings of its own, which ours do not reach.
var besides = map[string]string{"status": "--ignore-submodules=all", "diff": "--ignore-submodules=all"}

// hold puts the flags of ours behind the reader in a command, which may stand behind wrappers.
func hold(argv, programs []string) []string {
	at := readerAt(argv, programs)
	if at < 0 {
		return argv
	}
	rest := argv[at+1:]
	if filepath.Base(argv[at]) == "git" {
		n := gitFlags(rest)
		if n < len(rest) && besides[rest[n]] != "" {
			rest = slices.Insert(slices.Clone(rest), n+1, besides[rest[n]])
		}
	}
	return slices.Concat(argv[:at+1], readers[filepath.Base(argv[at])], rest)
}

// wrappers are the programs behind which a reader may stand.
var wrappers = []string{"nice", "timeout", "env", "nohup", "setsid", "stdbuf", "ionice", "chrt", "taskset", "time"}

// readerAt is where in a command a reader stands, -1 when there is none. Of the programs that start it is the last;
// the words of wrappers before it are numbers, signals and settings, and its name among its own words means nothing.
func readerAt(argv, programs []string) int {
	name := programs[len(programs)-1]
	if readers[name] == nil || len(programs) > 1 && !slices.Contains(wrappers, programs[0]) {
		return -1
	}
	return slices.IndexFunc(argv, func(w string) bool { return w == name || filepath.IsAbs(w) && filepath.Base(w) == name })
}

// gitFlags is how many words of git stand before its command. Those with which it reads are few (agentd/policy).
func gitFlags(words []string) int {
	n := 0
	for n < len(words) && words[n] != "" && words[n][0] == '-' {
		if words[n] == "-C" {
			n++
		}
		n++
	}
	return min(n, len(words))
}

// ownProgram are settings of a repository that name a program, which git would start while it reads, and which no
// flag of ours can take back.
var ownProgram = lazyre.MustCompile(`(?m)^(?:filter\..*|diff\.external|diff\..+\.(?:textconv|command)|merge\..+\.driver|gpg\.(?:.+\.)?(?:program|defaultkeycommand))$`)

// ownPrograms refuses to read a repository whose settings name programs.
func (r *runner) ownPrograms(argv []string, plan policy.ShellPlan, env []string) error {
	at := readerAt(argv, plan.Programs)
	if plan.Class.Tier != policy.Green || at < 0 || filepath.Base(argv[at]) != "git" {
		return nil
	}
	file, err := find("git")
	if err != nil {
		return nil //nolint:nilerr // then it does not start either, and says why
	}
	rest := argv[at+1:]
	n := gitFlags(rest)
	if n == len(rest) { // it tells of itself
		return nil
	}
	cmd := exec.Cmd{
		Path: file, Args: slices.Concat([]string{"git"}, readers["git"], rest[:n], []string{"config", "--list", "--includes", "--name-only"}),
		Env: slices.Concat(r.programEnv, env), Dir: r.dir, SysProcAttr: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	}
	var out, why bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &why
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the settings of the repository cannot be read: %w: %s", err, bytes.TrimSpace(why.Bytes()))
	}
	if name := ownProgram.FindString(out.String()); name != "" {
		return fmt.Errorf("refused: the repository names a program of its own, %s, which git would start", name)
	}
	return nil
}
