package team

import (
	"context"
	"strconv"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// AutonomyProps is how much one agent may do alone.
type AutonomyProps struct {
	Agent   portal.AgentProps
	Default int
	Matrix  []MatrixRow
	Sync    portal.SyncProps
	Problem string
}

// MatrixRow is what levels 1 to 3 do with a tier: allow, ask or deny.
type MatrixRow struct {
	Tier    string
	Effects []string
}

// levelOptions are the three levels, with that of the team in front when inherit is not 0.
func levelOptions(ctx context.Context, inherit int) []ui.Option {
	var out []ui.Option
	if inherit > 0 {
		out = append(out, ui.Option{
			Value: "0", Label: i18n.T(ctx, "portal.level.inherit"),
			Hint: i18n.T(ctx, "portal.level.inherit_hint", "level", strconv.Itoa(inherit)+" · "+portal.LevelWord(ctx, inherit)),
		})
	}
	for n := 1; n <= 3; n++ {
		out = append(out, ui.Option{Value: strconv.Itoa(n), Label: strconv.Itoa(n) + " · " + portal.LevelWord(ctx, n), Hint: portal.LevelHint(ctx, n)})
	}
	return out
}

// own is the level that an agent was given itself, "0" when it has the team's.
func own(a portal.AgentProps) string {
	if a.Inherited {
		return "0"
	}
	return strconv.Itoa(a.Level)
}

// signsLevel is signs for a form in which a level is chosen.
func signsLevel(s portal.SyncProps, agent string) templ.Attributes {
	a := portal.Signs(s, "autonomy", map[string]any{"agent": agent})
	a["data-change-level"] = ""
	return a
}

// raisesLevel tells the script from which level on a choice gives more power, and what the level of the team counts as.
func raisesLevel(now, inherit int) templ.Attributes {
	return templ.Attributes{"data-now": strconv.Itoa(now), "data-inherit": strconv.Itoa(inherit)}
}

// levelPower asks before one agent gets a higher level.
func levelPower(ctx context.Context, agent, back string, inherit int) portal.Power {
	return portal.Power{
		ID: "confirm-level", Form: "level-form", Name: "save", Value: "level", Cancel: back,
		Title: i18n.T(ctx, "portal.power.level", "agent", agent), Says: levelSays(ctx, inherit), Do: i18n.T(ctx, "portal.power.level_do"),
	}
}

// teamPower asks before every agent without a level of its own gets a higher one.
func teamPower(ctx context.Context) portal.Power {
	return portal.Power{
		ID: "confirm-level", Form: "level-form", Name: "save", Value: "level", Cancel: portal.Agents,
		Title: i18n.T(ctx, "portal.power.team"), Says: levelSays(ctx, 0), Do: i18n.T(ctx, "portal.power.level_do"),
	}
}

// levelSays is what follows from each level that can be chosen.
func levelSays(ctx context.Context, inherit int) []ui.Option {
	out := levelOptions(ctx, inherit)
	for i, o := range out {
		out[i].Label = o.Label + ": " + o.Hint
	}
	return out
}

func effectIcon(e string) string {
	switch e {
	case "allow":
		return "check"
	case "ask":
		return "hand"
	}
	return "lock"
}
