package activity

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// RunPageProps is one run with its evidence.
type RunPageProps struct {
	Run      portal.RunProps
	Detail   string // why it failed
	Tree     []ui.Node
	Claims   []ui.Claim
	Receipts []ui.Receipt
	Verified bool
	Problem  string
	Tokens   int64
	Model    string
	HandOffs int
	Hops     Hop    // the runs of the message
	Of       string // the run that began it, where it is the run of a sub-agent
	Cost     *Cost  // nil: the server does not say
}

// Open says whether the run, or one that it began, will still do something.
func (p RunPageProps) Open() bool { return ui.RunOpen(p.Run.State) || p.Hops.open() }

func chain(p RunPageProps) ui.Chain {
	if p.Verified {
		return ui.Chain{State: "verified"}
	}
	return ui.Chain{State: "broken", Detail: p.Problem}
}

func runFacts(ctx context.Context, p RunPageProps) []ui.Pair {
	out := []ui.Pair{
		{Name: i18n.T(ctx, "portal.run.agent"), View: ui.Link(portal.AgentPath(p.Run.Agent.ID), p.Run.Agent.Name)},
		{Name: i18n.T(ctx, "portal.run.began"), View: ui.At(p.Run.At)},
	}
	if p.Of != "" {
		out = append(out, ui.Pair{
			Name: i18n.T(ctx, "portal.run.of"), View: ui.Link(portal.RunPath(p.Of), i18n.T(ctx, "portal.run.of_open")),
		})
	}
	if p.Run.Took > 0 {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.run.took"), Value: ui.Duration(ctx, p.Run.Took)})
	}
	if p.Run.Worst != "" {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.run.worst"), View: ui.TierBadge(p.Run.Worst)})
	}
	if p.Model != "" {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.run.model"), Value: p.Model})
	}
	if p.Cost == nil && p.Tokens > 0 {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "portal.run.tokens"), Value: ui.Count(ctx, p.Tokens)})
	}
	return append(out, ui.Pair{Name: i18n.T(ctx, "portal.run.id"), Value: p.Run.ID, Code: true})
}

// EvidenceOf is the panel below an answer, complete.
func EvidenceOf(_ context.Context, p RunPageProps) ui.Evidence {
	return ui.Evidence{
		Run: p.Run.ID, Verdict: p.Run.Verdict, Claims: p.Claims, Receipts: p.Receipts, Chain: chain(p),
		RunHref: portal.RunPath(p.Run.ID), Print: portal.RunPath(p.Run.ID), Open: true,
	}
}
