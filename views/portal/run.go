package portal

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

func chain(p RunProps) ui.Chain {
	if p.Verified {
		return ui.Chain{State: "verified"}
	}
	return ui.Chain{State: "broken", Detail: p.Problem}
}

func runFacts(ctx context.Context, p RunProps) []ui.Pair {
	out := []ui.Pair{
		{Name: i18n.T(ctx, "portal.run.agent"), View: ui.Link(AgentPath(p.Act.Agent.ID), p.Act.Agent.Name)},
		{Name: i18n.T(ctx, "portal.run.began"), View: ui.At(p.Act.At)},
	}
	if p.Act.Took > 0 {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.run.took"), Value: ui.Duration(p.Act.Took)})
	}
	if p.Act.Worst != "" {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.run.worst"), View: ui.TierBadge(p.Act.Worst)})
	}
	if p.Model != "" {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.run.model"), Value: p.Model})
	}
	if p.Tokens > 0 {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.run.tokens"), Value: ui.Count(p.Tokens)})
	}
	return append(out, ui.Pair{Name: i18n.T(ctx, "portal.run.id"), Value: p.Act.Run, Code: true})
}

// EvidenceOf is the panel below an answer, complete.
func EvidenceOf(_ context.Context, p RunProps) ui.Evidence {
	return ui.Evidence{
		Run: p.Act.Run, Verdict: p.Act.Verdict, Claims: p.Claims, Receipts: p.Receipts, Chain: chain(p),
		RunHref: RunPath(p.Act.Run), Print: RunPath(p.Act.Run), Open: true,
	}
}
