package ui

import (
	"context"

	"gatehouse/views/i18n"
)

// running is how the work after a decision shows; it never shares a badge with the decision.
type running struct {
	word i18n.Key
	kind string // colour of the dot
}

var executions = map[string]running{
	"none":    {"ui.execution.none", "off"},
	"queued":  {"ui.execution.queued", "busy"},
	"running": {"ui.execution.running", "busy"},
	"done":    {"ui.execution.done", "ok"},
	"failed":  {"ui.execution.failed", "bad"},
	"unknown": {"ui.execution.unknown", "warn"},
}

func executionOf(state string) running {
	if r, ok := executions[state]; ok {
		return r
	}
	return executions["none"]
}

// ExecutionWord says where the work of an allowed call stands.
func ExecutionWord(ctx context.Context, state string) string {
	return i18n.T(ctx, executionOf(state).word)
}
