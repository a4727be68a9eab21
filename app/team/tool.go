package team

import (
	"slices"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// maxNarrowed bounds each list of tools.
const maxNarrowed = 200

var errManyTools = fault.Bad(map[string]string{"tool": "There are already 200 tools on this list. Remove one first."})

// Denied takes a tool from all agents, or gives it back to those whose own settings have it.
func Denied(tool string, on bool) Edit {
	return func(c *wire.Config) error { return listed(&c.Tools.Denied, tool, on) }
}

// OwnerOnly keeps a tool for runs that begin with what the owner wrote, or no longer.
func OwnerOnly(tool string, on bool) Edit {
	return func(c *wire.Config) error { return listed(&c.Tools.OwnerOnly, tool, on) }
}

// Sandboxed lets an agent see only tools that stay in the sandbox, or again all that it has.
func Sandboxed(agent string, only bool) Edit {
	return agentEdit(agent, func(a *wire.AgentConfig) { a.Sandboxed = only })
}

// listed puts a tool on a sorted list, or takes it off. An empty list has one form, so that equal settings compare equal.
func listed(list *[]string, tool string, on bool) error {
	i, there := slices.BinarySearch(*list, tool)
	switch {
	case !slug.MatchString(tool):
		return errTool
	case on == there:
		return nil
	case on && len(*list) >= maxNarrowed:
		return errManyTools
	case on:
		*list = slices.Insert(*list, i, tool)
		return nil
	}
	if *list = slices.Delete(*list, i, i+1); len(*list) == 0 {
		*list = nil
	}
	return nil
}
