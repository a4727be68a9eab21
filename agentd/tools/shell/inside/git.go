package inside

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/policy"
)

// gitCall is a call of git in a command: the words before its verb, the verb, and those behind it.
type gitCall struct {
	before []string
	verb   string
	words  []string
}

// gitIn finds the call of git in a command, which may stand behind wrappers. ok is false when there is none, and when it
// tells of git itself.
func gitIn(argv, programs []string) (c gitCall, ok bool) {
	at := readerAt(argv, programs)
	if at < 0 || filepath.Base(argv[at]) != "git" {
		return c, false
	}
	rest := argv[at+1:]
	n := gitFlags(rest)
	if n == len(rest) {
		return c, false
	}
	c = gitCall{rest[:n], rest[n], rest[n+1:]}
	if c.verb == "stash" && len(c.words) > 0 {
		c.verb, c.words = "stash "+c.words[0], c.words[1:]
	}
	return c, true
}

// with are the words of the same call with other flags behind its verb.
func (c gitCall) with(flags []string) []string {
	return slices.Concat(c.before, strings.Fields(c.verb), flags, c.words)
}

// gitFlags is how many words of git stand before its verb. Those with which it reads are few (agentd/policy).
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

// askGit runs git as it is held to reading, and gives what it prints. Status 1 is that nothing was found.
func (r *runner) askGit(words, env []string, in string) (string, error) {
	git, err := open("git")
	if git != nil {
		defer git.Close()
	}
	if err != nil {
		return "", err
	}
	cmd := r.process(git, hold(slices.Concat([]string{"git"}, words), []string{"git"}), env)
	cmd.Stdin = strings.NewReader(in)
	var out, why bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &why
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return "", fmt.Errorf("the repository cannot be looked at: %w: %s", err, bytes.TrimSpace(why.Bytes()))
	}
	return out.String(), nil
}

// ownProgram are settings of a repository that name a program, which git would start while it reads, and which no
// flag of ours can take back.
var ownProgram = lazyre.MustCompile(`(?m)^(?:filter\..*|diff\.external|diff\..+\.(?:textconv|command)|merge\..+\.driver|` +
	`gpg\.(?:.+\.)?(?:program|defaultkeycommand))$`)

// repository refuses to read one whose settings name programs, or that would show what a file held that may not be touched
// by name.
func (r *runner) repository(argv []string, plan policy.ShellPlan, env []string) error {
	c, ok := gitIn(argv, plan.Programs)
	if !ok {
		return nil
	}
	if plan.Class.Tier == policy.Green {
		settings, err := r.askGit(slices.Concat(c.before, []string{"config", "--list", "--includes", "--name-only"}), env, "")
		if errors.Is(err, errMissing) {
			return nil // then it does not start either, and says why
		}
		if err != nil {
			return err
		}
		if name := ownProgram.FindString(settings); name != "" {
			return fmt.Errorf("refused: the repository names a program of its own, %s, which git would start", name)
		}
	}
	return r.history(c, env)
}
