package turn

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"gatehouse/agentd/wire"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/portal/credential"
	"gatehouse/views/ui"
)

// Look is the whole bubble.
func (t *Turn) Look(ctx context.Context, names Names) ui.Turn {
	w := t.runs[t.root]
	u := ui.Turn{
		Run: t.root, Agent: names(t.agent), At: t.at, State: string(t.State()), Why: t.reason(ctx),
		Flow: t.flow(w, names), Tail: t.tailOf(w), Proof: t.proof(ctx, names), Doubt: t.doubt(ctx),
	}
	if t.final != nil {
		u.Files, u.Memories = Files(t.final.Files), memories(ctx, t.final.Memories)
		if plain(t.final.Into) {
			u.Links = []ui.Crumb{{Label: i18n.T(ctx, "portal.turn.joined"), Href: "#" + ui.TurnID(t.final.Into)}}
		}
	}
	return u
}

// waits are the words for what a message waits for.
var waits = map[string]i18n.Key{
	wire.WaitsTurn: "portal.turn.after", wire.WaitsMore: "portal.turn.collected", wire.WaitsStep: "portal.turn.steers",
	wire.WaitsTaken: "portal.turn.interrupts",
}

// reason says why the turn stands where it does, in words.
func (t *Turn) reason(ctx context.Context) string {
	switch {
	case t.away && t.Open():
		return i18n.T(ctx, "portal.turn.away")
	case t.fault != nil && t.fault.Type == "stopped" && t.fault.For != "":
		return i18n.T(ctx, "portal.turn.interrupted")
	case t.fault != nil && t.fault.Type == "stopped":
		return i18n.T(ctx, "portal.turn.stopped")
	case t.fault != nil:
		return i18n.Say(ctx, t.fault.Detail)
	case t.State() == wire.RunParked && len(t.Waiting()) == 0:
		return i18n.T(ctx, "credential.awaited")
	case t.State() == wire.RunParked:
		return i18n.T(ctx, "portal.turn.waiting", "n", len(t.Waiting()))
	case t.state == wire.RunQueued && waits[t.why] != "":
		return i18n.T(ctx, waits[t.why])
	case t.state == wire.RunQueued:
		return i18n.Say(ctx, t.why)
	}
	return ""
}

func (t *Turn) doubt(ctx context.Context) string {
	if t.final == nil {
		return ""
	}
	switch t.final.Verdict {
	case wire.VerdictNotProven:
		return i18n.T(ctx, "portal.turn.not_proven")
	case wire.VerdictContradicted:
		return i18n.T(ctx, "portal.turn.contradicted")
	}
	return ""
}

// call is a call as a chip, or as the work that it handed on.
func (t *Turn) call(c *call, names Names) templ.Component {
	if c.child == nil && c.awaits() {
		chip := t.chip(c)
		chip.Call += "-call"
		return credential.RequestChip(ui.ChipID(c.id), ui.ToolChip(chip), t.asked(c, names))
	}
	if c.child == nil {
		return ui.ToolChip(t.chip(c))
	}
	return ui.HandOffBox(ui.HandOff{
		Run: c.child.run, From: names(c.agent), To: names(c.child.agent), Task: c.task,
		State: string(t.childState(c)), Flow: t.flow(c.child, names), Tail: t.tailOf(c.child), Open: !t.past,
	})
}

func (t *Turn) chip(c *call) ui.Chip {
	href := portal.RunPath(t.root) + "#" + ui.ChipID(c.id)
	if c.data.Tool == spawn && plain(c.data.Child) {
		href = portal.RunPath(c.data.Child)
	}
	return ui.Chip{
		Call: c.id, Tool: c.data.Tool, Tier: c.data.Tier, State: string(c.data.State), Summary: c.data.Summary,
		Took: time.Duration(c.data.MS) * time.Millisecond, Args: c.args, Result: c.result,
		Href: href,
	}
}

func took(ctx context.Context, ms int64) string {
	if ms <= 0 {
		return ""
	}
	return ui.Duration(ctx, time.Duration(ms)*time.Millisecond)
}

// proof is what the receipts say about the answer; nil until it is there.
func (t *Turn) proof(ctx context.Context, names Names) *ui.Evidence {
	if t.final == nil || t.final.Into != "" { // then it stands with the answer
		return nil
	}
	e := Evidence(t.root, *t.final)
	e.Receipts = Receipts(ctx, t.receipts, names)
	e.Chain = Chain(t.checked, t.verified, t.problem)
	if !t.checked {
		e.Chain.Href = portal.RunPath(t.root)
	}
	if len(e.Receipts) == 0 && len(t.final.Receipts) > 0 {
		e.More = portal.EvidencePath(t.root)
	}
	return &e
}
