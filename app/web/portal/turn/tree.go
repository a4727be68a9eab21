package turn

import (
	"context"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/markdown"
	"gatehouse/views/i18n"
	"gatehouse/views/inbox"
	"gatehouse/views/portal/activity"
	"gatehouse/views/ui"
)

// Tree is what a run did, for its own page: each model call with the tool calls it led to, handed-on work below the call
// that handed it on.
func Tree(ctx context.Context, run wire.Run, names Names) []ui.Node {
	return (&tree{ctx: ctx, record: record{run: run}, names: names, seen: map[string]bool{}}).of(run.ID)
}

type tree struct {
	record
	ctx   context.Context
	names Names
	seen  map[string]bool // runs that stand in the tree already
}

func (t *tree) of(run string) []ui.Node {
	if t.seen[run] {
		return nil
	}
	t.seen[run] = true
	var out []ui.Node
	for _, s := range t.steps(run) {
		out = append(out, t.step(s))
	}
	return out
}

func (t *tree) step(s wire.Step) ui.Node {
	who := t.names(s.Agent)
	n := ui.Node{ID: "step-" + s.RunID + "-" + strconv.Itoa(s.N), Title: who.Name, Agent: &who}
	if strings.TrimSpace(s.Text) != "" {
		n.Body = activity.Step(markdown.Document(s.Text), s.Time)
	}
	for _, id := range s.Calls {
		for _, c := range t.run.Calls {
			if c.ID == id && c.RunID == s.RunID {
				n.Below = append(n.Below, t.node(c))
			}
		}
	}
	return n
}

func (t *tree) node(c wire.CallInfo) ui.Node {
	n := ui.Node{
		ID: ui.ChipID(c.ID), Title: title(t.ctx, c), Tool: c.Tool, Tier: c.Tier, State: string(c.State), Kind: kindOf(c.State),
		Word: ui.ChipWord(t.ctx, string(c.State)), Took: took(t.ctx, lasted(c)), Body: t.details(c),
	}
	if c.Child != "" {
		n.Below = t.of(c.Child)
	}
	return n
}

func title(ctx context.Context, c wire.CallInfo) string {
	if c.Child != "" {
		for _, a := range card.Parse(c.Args) {
			if a.Name == "task" {
				return a.Text
			}
		}
	}
	if c.Summary != "" {
		return i18n.Say(ctx, c.Summary)
	}
	return ui.ToolTitle(ctx, c.Tool)
}

func (t *tree) details(c wire.CallInfo) templ.Component {
	args := []ui.Arg{{Name: "tool", Value: c.Tool}}
	for _, a := range card.Parse(c.Args) {
		args = append(args, uiArg(a))
	}
	href := ""
	if c.ApprovalID != "" {
		href = inbox.OnePath(card.Portal, c.ApprovalID)
	}
	return activity.CallBody(args, c.Result, href)
}

// kindOf colours the state of a call.
func kindOf(s wire.ToolState) string {
	switch s {
	case wire.ToolDone:
		return "ok"
	case wire.ToolFailed, wire.ToolDenied:
		return "bad"
	case wire.ToolAsked, wire.ToolUnknown, wire.ToolStopped:
		return "warn"
	case wire.ToolRunning:
		return "busy"
	}
	return "off"
}
