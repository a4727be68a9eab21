package portal

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// RunProps is one run in a list.
type RunProps struct {
	ID, Root, Session string
	Agent             ui.Agent
	Task              string
	State             string
	Verdict           string
	Worst             string // highest tier of its calls
	Calls             int
	Did               []string // what was changed or sent, a line each
	DidMore           int      // further lines that are not here
	Channel           string
	At                time.Time
	Took              time.Duration // 0 while open
}

// Task is what a run was asked; a run that was asked nothing shows so.
func Task(ctx context.Context, a RunProps) string {
	if a.Task != "" {
		return a.Task
	}
	return i18n.T(ctx, "portal.act.untitled")
}

// Headline says what a run did; one that only looked is named by what it was asked.
func Headline(ctx context.Context, a RunProps) string {
	if len(a.Did) == 0 {
		return Task(ctx, a)
	}
	if more := len(a.Did) - 1 + a.DidMore; more > 0 {
		return i18n.T(ctx, "portal.act.did_more", "did", a.Did[0], "n", more)
	}
	return a.Did[0]
}

// RunKind colours the state of a run.
func RunKind(state string) string {
	switch state {
	case "running":
		return "busy"
	case "parked", "stopped":
		return "warn"
	case "done":
		return "ok"
	case "failed":
		return "bad"
	}
	return "off"
}
