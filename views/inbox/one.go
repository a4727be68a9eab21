package inbox

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// withoutLink is a card on its own page: a link to where one is leads nowhere.
func withoutLink(p CardProps) CardProps {
	p.Alone = true
	return p
}

// bound is what an answer is tied to.
func bound(ctx context.Context, p CardProps) []ui.Pair {
	return []ui.Pair{
		{Name: i18n.T(ctx, "inbox.action"), Value: p.Action, Code: true},
		{Name: i18n.T(ctx, "inbox.asked_at"), View: ui.At(p.Created)},
		{Name: i18n.T(ctx, "inbox.until"), View: ui.At(p.Expires)},
		{Name: i18n.T(ctx, "inbox.digest"), View: ui.Hash(p.Digest)},
	}
}

// answered is who decided, when and from where, and apart from it what became of the work.
func answered(ctx context.Context, p CardProps) []ui.Pair {
	d := p.Decision
	out := []ui.Pair{
		{Name: i18n.T(ctx, "inbox.decision"), Value: ui.ApprovalWord(ctx, p.State)},
		{Name: i18n.T(ctx, "inbox.by"), Value: d.By},
		{Name: i18n.T(ctx, "inbox.at"), View: ui.At(d.At)},
		{Name: i18n.T(ctx, "inbox.where"), Value: Where(ctx, d.Where)},
	}
	if d.From != "" {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "inbox.from"), Value: d.From, Code: true})
	}
	if d.Method != "" {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "inbox.method"), Value: methodWord(ctx, p)})
	}
	if p.State == "allowed" {
		out = append(out, ui.Pair{Name: i18n.T(ctx, "inbox.execution"), Value: ui.ExecutionWord(ctx, p.Execution)})
	}
	return out
}

// methodWord is how whoever decided has shown that they may: the server carries out what gives leave only when an
// approver key has signed it.
func methodWord(ctx context.Context, p CardProps) string {
	word := i18n.T(ctx, "inbox.method_session")
	if p.Decision.Method == "token" {
		word = i18n.T(ctx, "inbox.method_token")
	}
	if p.State == "allowed" {
		return i18n.T(ctx, "inbox.method_signed", "method", word)
	}
	return word
}

func lead(ctx context.Context, p ListProps) string {
	if p.Staff {
		return i18n.T(ctx, "inbox.lead_staff")
	}
	return i18n.T(ctx, "inbox.lead")
}
