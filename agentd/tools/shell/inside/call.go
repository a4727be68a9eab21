package inside

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/policy"
)

// call runs one plain command.
func (r *runner) call(c *syntax.CallExpr, s streams) {
	defer r.drop()
	env, err := r.assign(c, s)
	var argv []string
	if err == nil {
		argv, err = r.fields(c.Args, s)
	}
	switch {
	case err != nil:
		r.fail(s, statusFailed, "%v", err)
	case len(argv) > 0 && r.functions[argv[0]] != nil && c.Args[0].Lit() == argv[0]:
		r.invoke(r.functions[argv[0]], argv[1:], s)
	case len(argv) > 0:
		r.argv(argv, env, s)
	case len(c.Args) > 0:
		r.fail(s, statusNotFound, "the command is empty")
	}
}

// assign sets variables, for the rest of the text or, before a command, for its program only.
func (r *runner) assign(c *syntax.CallExpr, s streams) ([]string, error) {
	var env []string
	for _, a := range c.Assigns {
		before := r.status
		r.status = 0
		value, err := r.assigned(a, s)
		if err != nil {
			return nil, err
		}
		if len(c.Args) > 0 {
			env = append(env, a.Name.Value+"="+value.String())
			r.status = before
			continue
		}
		r.vars.values[a.Name.Value] = value
	}
	return env, nil
}

// argv runs a real command if it is no worse than what was allowed.
func (r *runner) argv(argv, env []string, s streams) {
	plan := policy.Argv(argv, r.here())
	if filepath.Base(argv[0]) == "xargs" { // its commands are looked at one by one, when they are known
		plan.Class.Tier = policy.Green
	}
	if plan.Class.Tier.Rank() > r.allowed.Rank() {
		r.fail(s, statusRefused, "refused: %s: %s", visible(argv), plan.Class.Why)
		return
	}
	err := errors.Join(r.mayTouch(plan), r.leads(argv, plan.Class.Tier), r.copies(argv, plan.Programs), r.unpacked(argv, plan.Programs))
	if err != nil {
		r.fail(s, statusRefused, "refused: %s: %v", visible(argv), err)
		return
	}
	if r.builtin(argv, env, s) {
		return
	}
	switch filepath.Base(argv[0]) {
	case "which", "type", "command": // of the last two only the forms that tell where a program is are green
		r.which(argv[1:], s)
	case "xargs":
		r.xargs(argv[1:], env, s)
	case ":":
		r.status = 0
	default:
		if err := r.repository(argv, plan, env); err != nil {
			r.fail(s, statusRefused, "%s: %v", visible(argv), err)
			return
		}
		r.start(alias(argv, plan), plan.Programs, env, s)
	}
}

// start runs a program and waits for it.
func (r *runner) start(argv, programs, env []string, s streams) {
	program, err := open(argv[0])
	if program != nil {
		defer program.Close()
	}
	for _, p := range programs[1:] { // those that the first one starts
		if _, perr := find(p); err == nil && !errors.Is(perr, errMissing) {
			err = perr
		}
	}
	if err != nil {
		r.fail(s, statusNotFound, "%v", err)
		return
	}
	cmd := r.process(program, argv, env, r.feeds...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, s.out, s.err
	r.status = 0
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &exit):
		r.status = exit.ExitCode()
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			r.status = 128 + int(ws.Signal())
		}
	case err != nil:
		r.fail(s, statusRefused, "%s: %v", argv[0], err)
	}
}

// visible is a command for a message, cut.
func visible(argv []string) string {
	text := strings.Join(argv, " ")
	if len(text) > 120 {
		text = strings.ToValidUTF8(text[:120], "") + "…"
	}
	return text
}
