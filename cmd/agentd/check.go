package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tools/registry"
)

// question is one line of input.
type question struct {
	ID   json.RawMessage `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// verdict is one line of output.
type verdict struct {
	ID      json.RawMessage `json:"id"`
	Tier    policy.Tier     `json:"tier"`
	Action  string          `json:"action"`
	Summary string          `json:"summary"`
}

// checkClassify is "agentd check classify": one line out for each line in, whatever stands there.
func checkClassify(ctx context.Context, c *call) error {
	root := c.flags.String("root", "/opt/gatehouse", "data folder that relative paths stand under; what a command would replace there counts")
	state := c.flags.String("state", "", "state folder whose registry of tools counts; without it a host that bears a tool's name counts as that tool's")
	if err := c.parse(0); err != nil {
		return err
	}
	abs, err := filepath.Abs(*root)
	if err != nil {
		return fmt.Errorf("root: %w", err)
	}
	e := policy.Env{Root: abs, ByName: *state == ""}
	if *state != "" {
		known := registry.New(*state)
		if _, err := known.All(); err != nil {
			return err
		}
		e.Tools = known.Registered()
	}
	return checkLines(ctx, c, func(line []byte) any { return classify(line, e) })
}

// classify judges one line. What cannot be read is forbidden.
func classify(line []byte, e policy.Env) verdict {
	var q question
	if err := readLine(line, &q); err != nil {
		c := policy.Refuse("tool.call.unreadable", "The line cannot be read: "+err.Error())
		return answer(q, c)
	}
	c := policy.Classify(q.Tool, q.Args, e)
	if q.Tool == "shell" && c.Tier == policy.Yellow {
		c = replacing(c, q.Args, e)
	}
	return answer(q, c)
}

// answer is the line about a question, with as much of what the class says as is shown.
func answer(q question, c policy.Class) verdict {
	if len(c.Says) > policy.Shown {
		c.Says = redact.Clip(c.Says, policy.Shown)
	}
	return verdict{orNull(q.ID), c.Tier, c.Action, c.Says}
}

// replacing raises a command that would replace the content of a file that is there, as the gate does.
func replacing(c policy.Class, args json.RawMessage, e policy.Env) policy.Class {
	var in policy.ShellArgs
	root, err := os.OpenRoot(e.Root)
	if err != nil || json.Unmarshal(args, &in) != nil {
		return c // there is no such folder, so nothing is replaced
	}
	defer root.Close()
	plan := policy.PlanShell(in.Command, e)
	for _, rel := range slices.Concat(plan.Writes, plan.Merges) {
		if info, err := root.Lstat(rel); err == nil && (info.IsDir() && slices.Contains(plan.Merges, rel) || info.Mode().IsRegular() && info.Size() > 0) {
			c.Tier, c.Action = policy.Red, "server.shell.run"
		}
	}
	return c
}

func orNull(id json.RawMessage) json.RawMessage {
	if !json.Valid(id) {
		return json.RawMessage("null")
	}
	return id
}
