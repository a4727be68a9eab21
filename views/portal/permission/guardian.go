package permission

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// GuardianProps is how the second look at risky calls is set.
type GuardianProps struct {
	Mode                                string // on, off or ""
	On                                  bool
	Model                               string
	Allowed, Escalated, Blocked, Failed int
}

func guardianModes(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "", Label: i18n.T(ctx, "permission.guardian_auto")},
		{Value: "on", Label: i18n.T(ctx, "permission.guardian_on")},
		{Value: "off", Label: i18n.T(ctx, "permission.guardian_off")},
	}
}

func guardianKind(g GuardianProps) string {
	if g.On {
		return "ok"
	}
	return "off"
}

func guardianWord(ctx context.Context, g GuardianProps) string {
	if g.On {
		return i18n.T(ctx, "permission.guardian_is_on")
	}
	return i18n.T(ctx, "permission.guardian_is_off")
}

func guardianPairs(ctx context.Context, g GuardianProps) []ui.Pair {
	model := g.Model
	if model == "" {
		model = i18n.T(ctx, "permission.guardian_no_model")
	}
	return []ui.Pair{
		{Name: i18n.T(ctx, "permission.guardian_model"), Value: model},
		{Name: i18n.T(ctx, "permission.guardian_week"), Value: i18n.T(ctx, "permission.guardian_counts", "allowed", g.Allowed, "escalated", g.Escalated, "blocked", g.Blocked, "failed", g.Failed)},
	}
}
