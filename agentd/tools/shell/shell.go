package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/sandbox"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/shell/inside"
)

const (
	// limit is how long a command may take.
	limit = 60 * time.Second
	// maxOutput is how much a command may print; one that prints more is stopped.
	maxOutput = 16 << 20
)

var (
	errLong  = fmt.Errorf("the command took longer than %s", limit)
	errFlood = fmt.Errorf("the command printed more than %s", tool.Bytes(maxOutput))
)

// Tool runs commands in the data folder.
type Tool struct {
	root *dataroot.Root
	box  *sandbox.Sandbox
}

// New makes the tool.
func New(root *dataroot.Root, box *sandbox.Sandbox) *Tool { return &Tool{root: root, box: box} }

// Definition says what the model sees.
func (t *Tool) Definition() tool.Definition {
	return tool.Definition{
		Name: "shell",
		Doc: "Run commands on the server, in the data folder, as one would type them: pipes, lists, redirections, variables, $( ), <( ), arithmetic, tests, if, case, loops and functions. " +
			"No scripts, no network, nothing outside the data folder but figures of the machine such as df -h, free, ps or cat /proc/meminfo.",
		Args: tool.SchemaOf[policy.ShellArgs](), Programs: true, Timeout: limit + 5*time.Second,
	}
}

// Classify judges the command by its text. Where this machine cannot confine programs, none may run.
func (t *Tool) Classify(args json.RawMessage) policy.Class {
	if off := t.box.Protection().Off; off != "" {
		return policy.Refuse("server.shell.off", "Commands are switched off on this server: "+off+".")
	}
	return policy.Classify("shell", args, t.root.Env())
}

// Measure looks for files whose content a command would replace.
func (t *Tool) Measure(_ context.Context, args json.RawMessage) (gate.Measured, error) {
	in, err := tool.Parse[policy.ShellArgs](args)
	if err != nil {
		return gate.Measured{}, fmt.Errorf("shell: %w", err)
	}
	plan := policy.PlanShell(in.Command, t.root.Env())
	if err := noMarks(in.Command, plan.Class.Tier); err != nil {
		return gate.Measured{}, err
	}
	lost := t.lost(plan)
	if len(lost) == 0 {
		return gate.Measured{}, nil
	}
	frozen, err := json.Marshal(lost)
	if err != nil {
		return gate.Measured{}, fmt.Errorf("shell: %w", err)
	}
	n := int64(len(lost))
	names := strings.Join(lost, ", ")
	return gate.Measured{
		Frozen: frozen,
		Raise:  policy.Class{Tier: policy.Red, Why: "It replaces what is in " + names + "."},
		Facts:  []tool.Fact{{Name: "replaced", Value: n, Text: tool.Count(n, "file", "files") + " replaced: " + names}},
	}, nil
}

// lost are the files whose content the plan would replace, and the folders into which it would copy others, by name.
func (t *Tool) lost(plan policy.ShellPlan) []string {
	var lost []string
	root := t.root.Env().Root
	for _, rel := range plan.Writes {
		rel = inside.Target(root, rel)
		if info, err := t.root.Lstat(rel); err == nil && inside.HoldsSomething(info) {
			lost = append(lost, rel)
		}
	}
	for _, rel := range plan.Merges {
		rel = inside.Target(root, rel)
		if info, err := t.root.Lstat(rel); err == nil && info.IsDir() {
			lost = append(lost, rel)
		}
	}
	slices.Sort(lost)
	return slices.Compact(lost)
}

// Run runs the command and waits for its end.
func (t *Tool) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.ShellArgs](args)
	if err != nil {
		return tool.Result{}, fmt.Errorf("shell: %w", err)
	}
	plan := policy.PlanShell(in.Command, t.root.Env())
	if plan.Class.Tier.Rank() >= policy.Forbidden.Rank() {
		return tool.Result{}, tool.Refuse("%s", plan.Class.Why)
	}
	var replaces []string
	if frozen := p.Frozen(); len(frozen) > 0 {
		if err := json.Unmarshal(frozen, &replaces); err != nil {
			return tool.Result{}, fmt.Errorf("shell: frozen list: %w", err)
		}
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("shell: %w", err)
	}
	stop, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(limit, func() { cancel(errLong) })
	defer timer.Stop()
	out := &output{max: maxOutput, over: func() { cancel(errFlood) }}
	code, err := t.box.Run(stop, sandbox.Job{Program: inside.Program, CPU: limit, Out: out, Machine: looksAtMachine(plan), Services: asksServices(plan), Args: inside.Job{
		Command: in.Command, Tier: plan.Class.Tier, Root: t.root.Env().Root, State: t.root.Env().State, Replaces: replaces,
	}})
	if err != nil {
		return explain(ctx, err, in.Command, out.String())
	}
	return result(in.Command, plan, code, out.String()), nil
}

// explain tells the model what became of a command that did not come to its end.
func explain(ctx context.Context, err error, command, output string) (tool.Result, error) {
	if ctx.Err() != nil || !errors.Is(err, errLong) && !errors.Is(err, errFlood) {
		return tool.Result{}, fmt.Errorf("shell: %w", err)
	}
	said := fmt.Sprintf("Stopped: %v. What it printed begins:\n%s", err, redact.Clip(output, 4000))
	if !showsStrangers(command) {
		return tool.Result{}, tool.Refuse("%s", said)
	}
	return fromOutside(tool.Result{Text: said, Summary: "Stopped " + brief(command)}), nil // the words of a refusal are ours
}

// fromOutside marks a result as content from outside.
func fromOutside(r tool.Result) tool.Result {
	if r.Meta == nil {
		r.Meta = map[string]any{}
	}
	r.Meta[gate.MetaOutside], r.Meta[gate.MetaSource] = true, "log"
	return r
}

// brief is a command as it stands on a chip.
func brief(command string) string {
	return strings.Join(strings.Fields(redact.Clip(command, 120)), " ")
}

func result(command string, plan policy.ShellPlan, code int, output string) tool.Result {
	short := brief(command)
	r := tool.Result{Text: output, Summary: "Ran " + short, Meta: map[string]any{"exit": code}, Facts: []tool.Fact{
		{Name: "exit", Value: int64(code), Text: fmt.Sprintf("exit status %d", code)},
	}}
	if output == "" {
		r.Text = "(no output)\n"
	}
	if showsStrangers(command) {
		r = fromOutside(r)
	}
	if code != 0 {
		r.Text += fmt.Sprintf("\n[exit status %d]", code) + keptApart(plan)
		r.Summary += fmt.Sprintf(" (exit status %d)", code)
		return r
	}
	r.Effects = []tool.Effect{{Kind: effect(plan), Target: short, Count: 1}}
	return r
}

// effect is the class of what a command that ended well has done.
func effect(plan policy.ShellPlan) string {
	for _, p := range []string{"rm", "rmdir", "unlink", "shred"} {
		if slices.Contains(plan.Programs, p) {
			return "deleted"
		}
	}
	if plan.Class.Tier == policy.Yellow {
		return "written"
	}
	return "ran"
}
