package card

import (
	"slices"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"

	view "gatehouse/views/inbox"
)

// Look says for whom and where a card is drawn.
type Look struct {
	Mode  string                     // view.Full, view.List or view.Inline
	Base  string                     // where the inbox is mounted; empty: /app/approvals
	Agent func(agent string) string // how an agent is called
	Staff bool                       // the reader is staff
}

// Portal is where the customer's inbox is mounted.
const Portal = "/app/approvals"

// Of draws an approval.
func Of(a wire.Approval, look Look) view.CardProps {
	p := view.CardProps{
		ID: a.ID, Code: a.Code, Mode: look.Mode, Base: look.base(), Staff: look.Staff,
		Tier: a.Tier, Agent: look.Agent(a.Agent), AgentID: a.Agent, Action: a.Action, Tool: a.Tool,
		Summary: a.Summary, Facts: facts(a.Facts), Reason: a.Reason, WhyAsked: a.WhyAsked,
		Args: Args(a.Args), Diff: Diff(a.Diff), Run: a.RootRunID, Session: a.SessionID,
		Digest: a.Digest, Windows: windows(a), MayEdit: !look.Staff && editable(a.Args),
		Created: a.CreatedAt, Expires: a.ExpiresAt, State: string(a.State), Execution: string(a.Execution),
		Next: a.Next, Decision: decision(a), Erased: len(a.Args) == 0,
	}
	return p
}

func (l Look) base() string {
	if l.Base == "" {
		return Portal
	}
	return l.Base
}

func facts(fs []wire.Fact) []string {
	out := make([]string, 0, len(fs))
	for _, f := range fs {
		if f.Text != "" {
			out = append(out, f.Text)
		}
	}
	return out
}

// windows are the lengths that may be chosen: what the server offers, within what the hub lets through.
func windows(a wire.Approval) []int {
	limit := approval.WindowLimit(a.Tier)
	return slices.DeleteFunc(slices.Clone(a.Windows), func(m int) bool { return m < 1 || m > limit })
}

func decision(a wire.Approval) *view.DecisionProps {
	if a.DecidedBy == nil {
		return nil
	}
	by := a.DecidedBy
	return &view.DecisionProps{
		By: by.Name, Role: by.Role, At: by.Time, Where: by.Channel, From: by.Address, Method: by.Method, Reason: a.DenyReason,
	}
}
