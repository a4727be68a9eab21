package inside

import (
	"encoding/json"
	"fmt"
	"os"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/sandbox"
)

// Program is the name of the runner, for the sandbox.
const Program = "shell"

// The confined process runs and ends here, before the rest of its program has begun, which would take longer than most
// commands do.
func init() { sandbox.Main(sandbox.Program{Name: Program, Run: run}) }

// Job is what the runner is told.
type Job struct {
	Command string      `json:"command"`
	Tier    policy.Tier `json:"tier"` // what was allowed: no real command may be worse
	Root    string      `json:"root"`
	State   string      `json:"state"`
	// Replaces are the files and folders whose content may be lost, as they were measured before the decision.
	Replaces []string `json:"replaces,omitempty"`
}

// Exit statuses as shells give them.
const (
	statusFailed   = 1
	statusUsage    = 2
	statusRefused  = 126
	statusNotFound = 127
)

// run runs in the confined process. It reads the command with the same parser as the gate: the same text gives the
// same tree.
func run(raw json.RawMessage, scratch string) int {
	var j Job
	if err := json.Unmarshal(raw, &j); err != nil {
		fmt.Fprintln(os.Stderr, "the command did not arrive:", err)
		return statusUsage
	}
	file, err := policy.ParseShell(j.Command)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return statusUsage
	}
	r := &runner{
		allowed: j.Tier, mine: newMine(j.Replaces), env: policy.Env{Root: j.Root, State: j.State}, dir: j.Root,
		functions: map[string]*syntax.FuncDecl{},
		programEnv: []string{
			"PATH=" + path(), "HOME=" + scratch, "LANG=C.UTF-8", "TERM=dumb", "TMPDIR=" + scratch,
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		},
	}
	r.vars = &variables{r: r, values: map[string]expand.Variable{}}
	r.list(file.Stmts, streams{os.Stdin, os.Stdout, os.Stderr})
	return r.status
}
