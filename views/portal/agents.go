package portal

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

func hasOutward(a AgentProps) bool {
	return slices.ContainsFunc(a.Tools, func(t ToolProps) bool { return t.Outward && t.Visible })
}

// given are the tools that an agent has, or those that were kept from it.
func given(a AgentProps, visible bool) []ToolProps {
	return slices.DeleteFunc(slices.Clone(a.Tools), func(t ToolProps) bool { return t.Visible != visible })
}

// outside says what an agent may send outside without asking.
func outside(ctx context.Context, a AgentProps) string {
	switch {
	case !hasOutward(a):
		return i18n.T(ctx, "portal.agent.no_outward")
	case len(a.Unlocked) == 0:
		return i18n.T(ctx, "portal.agent.all_gated")
	}
	return i18n.T(ctx, "portal.agent.on_its_own", "tools", strings.Join(a.Unlocked, ", "))
}

// levelOptions are the three levels, with that of the team in front when inherit is not 0.
func levelOptions(ctx context.Context, inherit int) []ui.Option {
	var out []ui.Option
	if inherit > 0 {
		out = append(out, ui.Option{
			Value: "0", Label: i18n.T(ctx, "portal.level.inherit"),
			Hint: i18n.T(ctx, "portal.level.inherit_hint", "level", strconv.Itoa(inherit)+" · "+LevelWord(ctx, inherit)),
		})
	}
	for n := 1; n <= 3; n++ {
		out = append(out, ui.Option{Value: strconv.Itoa(n), Label: strconv.Itoa(n) + " · " + LevelWord(ctx, n), Hint: levelHint(ctx, n)})
	}
	return out
}

// own is the level that an agent was given itself, "0" when it has the team's.
func own(a AgentProps) string {
	if a.Inherited {
		return "0"
	}
	return strconv.Itoa(a.Level)
}
