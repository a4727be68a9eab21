package public

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// HomeProps is what the landing page shows of what we sell.
type HomeProps struct {
	From int64 // the lowest price, in cents a month
}

// heroCard is the approval that the landing page shows: the component of the inbox, with nothing to decide.
func heroCard(ctx context.Context) ui.Approval {
	t := func(key i18n.Key) string { return i18n.T(ctx, key) }
	return ui.Approval{
		ID: "hero", Tier: "red", Agent: heroAgent(ctx), Asks: t("public.demo.asks"),
		Facts: []ui.Fact{
			{Value: "14", Name: t("public.demo.files")},
			{Value: ui.Bytes(ctx, 3_355_443), Name: t("public.demo.size")},
			{Value: t("public.demo.age_value"), Name: t("public.demo.age")},
		},
		Reason: t("public.demo.reason"), WhyAsked: t("public.demo.why"), Method: "file_delete",
		Args:  []ui.Arg{{Name: "path", Value: "tmp/*.tmp"}},
		State: "pending", ExpiresAt: ui.Of(ctx).Now.Add(24*time.Hour - time.Second),
	}
}

func heroAgent(ctx context.Context) ui.Agent {
	return ui.Agent{ID: "it-admin", Name: i18n.T(ctx, "public.demo.agent"), Role: "it-admin"}
}

// heroSteps is what the receipts of that approval say once it was allowed.
func heroSteps(ctx context.Context) []ui.Stage {
	return []ui.Stage{
		{Name: i18n.T(ctx, "public.demo.r_asked"), State: "done"},
		{Name: i18n.T(ctx, "public.demo.r_allowed"), State: "done"},
		{Name: i18n.T(ctx, "public.demo.r_done"), State: "done"},
	}
}

func howSteps(ctx context.Context) []ui.Step {
	var out []ui.Step
	for _, a := range ask(ctx, "public.home.how_1", "public.home.how_2", "public.home.how_3", "public.home.how_4") {
		out = append(out, ui.Step{Title: a.Ask, Body: a.Say})
	}
	return out
}

func promises(ctx context.Context) []point {
	return []point{
		pointOf(ctx, "shield-check", "public.home.promise_1"),
		pointOf(ctx, "tier-external", "public.home.promise_2"),
		pointOf(ctx, "receipt", "public.home.promise_3"),
	}
}

// colleague is one agent of the starting team.
type colleague struct {
	Agent ui.Agent
	Text  string
}

func team(ctx context.Context) []colleague {
	one := func(id string, key i18n.Key) colleague {
		return colleague{ui.Agent{ID: id, Name: i18n.T(ctx, key), Role: id}, i18n.T(ctx, key+"_text")}
	}
	return []colleague{
		one("dispatcher", "public.home.team_dispatcher"), one("it-admin", "public.home.team_it"), one("secretary", "public.home.team_secretary"),
	}
}
