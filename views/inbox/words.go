package inbox

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// approvalOf puts an approval into words.
func approvalOf(ctx context.Context, p CardProps) ui.Approval {
	a := ui.Approval{
		ID: p.ID, Code: p.Code, Tier: p.Tier, Href: href(p), Customer: p.Customer, Agent: p.Agent,
		Alone: p.Alone, Asks: asks(ctx, p), Facts: p.Facts, Reason: p.Reason, WhyAsked: p.WhyAsked, Guardian: p.Guardian, Taint: p.Taint, Turn: turnOf(ctx, p), Method: p.Tool,
		Args: p.Args, Draft: p.Draft, Files: files(p), ExpiresAt: p.Expires, State: p.State,
		Decided: decided(ctx, p.Decision), Execution: p.Execution, Note: p.Conflict, Next: next(ctx, p), Focus: p.Focus,
	}
	if p.Pending() {
		a.Ignored = i18n.T(ctx, "inbox.ignored", "agent", p.Agent.Name)
		if a.Form = form(ctx, p); a.Form == nil {
			a.Checks = append(a.Checks, i18n.T(ctx, "inbox.no_right"))
		}
		if p.Typed && a.Form != nil && a.Form.EditHref != "" {
			a.Checks = append(a.Checks, i18n.T(ctx, "inbox.typed.kept"))
		}
		if p.Conflict != "" {
			a.Checks, a.Note = append(a.Checks, p.Conflict), ""
		}
		if p.Unlike {
			a.Checks = append(a.Checks, i18n.T(ctx, "script.other_args"))
		}
	}
	return a
}

func href(p CardProps) string {
	if p.Alone {
		return ""
	}
	return OnePath(p.Base, p.ID)
}

// asks is the sentence of the card. Once the hub has erased it, and the server cannot be asked, the kind of thing is what is left.
func asks(ctx context.Context, p CardProps) string {
	if p.Summary != "" {
		return p.Summary
	}
	if !ui.KnowsTool(p.Tool) {
		return i18n.T(ctx, "inbox.erased", "tool", p.Tool)
	}
	return ui.ToolTitle(ctx, p.Tool)
}

// TabTitle names a request in the tab of a browser: what is asked, or, where that is not shown, who asks for what kind of thing.
func TabTitle(ctx context.Context, p CardProps) string {
	title := asks(ctx, p)
	if p.Summary == "" {
		title = p.Agent.Name + " · " + title
	}
	if p.Customer != "" {
		title += " · " + p.Customer
	}
	return title
}

func turnOf(ctx context.Context, p CardProps) *ui.Crumb {
	if p.Staff || p.Session == "" || !ui.MayChat(ctx) {
		return nil
	}
	return &ui.Crumb{Label: i18n.T(ctx, "inbox.turn"), Href: turnPath(p.Session, p.Run)}
}

func files(p CardProps) []ui.DiffFile {
	if p.Diff == nil {
		return nil
	}
	return []ui.DiffFile{{
		Path: p.Diff.Path, New: p.Diff.New, Added: p.Diff.Added, Deleted: p.Diff.Removed, Hunks: ui.ParseUnified(p.Diff.Unified),
	}}
}

func form(ctx context.Context, p CardProps) *ui.DecisionForm {
	if !p.Staff && !ui.MayApprove(ctx) {
		return nil
	}
	f := &ui.DecisionForm{Action: OnePath(p.Base, p.ID), Digest: p.Digest, Sign: p.Sign, Shown: p.Shown, Says: p.Says, Vouched: p.Vouched, Windows: p.Windows, WindowFor: p.WindowFor, Rule: p.Rule, Proof: p.anew()}
	if p.Staff {
		return staffForm(ctx, p)
	}
	if p.Unlike {
		f.DenyOnly = i18n.T(ctx, "inbox.unlike")
		return f
	}
	if !ui.MayManage(ctx) {
		return memberForm(ctx, f)
	}
	f.Always = alwaysPath(p)
	if p.MayEdit {
		f.EditHref = EditPath(p.Base, p.ID)
	}
	if len(p.Windows) == 0 {
		f.OnceOnly = i18n.T(ctx, "inbox.once_only")
	}
	return f
}

// memberForm is what a member may answer: allow it once, as it is, or deny it.
func memberForm(ctx context.Context, f *ui.DecisionForm) *ui.DecisionForm {
	f.Windows, f.WindowFor, f.Rule = nil, "", nil
	f.OnceOnly = i18n.T(ctx, "inbox.member_once")
	return f
}

// staffForm is what our staff may answer: they say why, allow nothing but this, and do not see what exactly is asked.
func staffForm(ctx context.Context, p CardProps) *ui.DecisionForm {
	f := &ui.DecisionForm{Action: OnePath(p.Base, p.ID), Digest: p.Digest, Sign: p.Sign, Unshown: true, Keys: p.Keys, ReasonRequired: true}
	switch p.Leave {
	case AllowOnce:
		f.OnceOnly = i18n.T(ctx, "inbox.staff_once")
	case NoKey:
		f.DenyOnly, f.Way = i18n.T(ctx, "inbox.staff_no_key"), &ui.Crumb{Label: i18n.T(ctx, "inbox.staff_get_key"), Href: p.Keys}
	default:
		f.DenyOnly = i18n.T(ctx, "inbox.staff_role")
	}
	return f
}

func next(ctx context.Context, p CardProps) *ui.Crumb {
	if p.Next == "" {
		return nil
	}
	return &ui.Crumb{Label: i18n.T(ctx, "inbox.next"), Href: OnePath(p.Base, p.Next)}
}

func decided(ctx context.Context, d *DecisionProps) *ui.Decision {
	if d == nil {
		return nil
	}
	out := &ui.Decision{By: d.By, Where: Where(ctx, d.Where), At: d.At, Reason: d.Reason, Edited: d.Verb == "edit", Rule: d.Verb == "allow_rule"}
	if d.Verb == "allow_window" {
		out.Window = d.Minutes
	}
	return out
}

var wheres = map[string]i18n.Key{
	"portal": "inbox.where.portal", "admin": "inbox.where.admin", "api": "inbox.where.api", "agentd": "inbox.where.server",
	"email": "inbox.where.email", "telegram": "inbox.where.telegram",
	"discord": "inbox.where.discord", "signal": "inbox.where.signal", "slack": "inbox.where.slack",
}

// Where names the surface that a decision came from.
func Where(ctx context.Context, channel string) string {
	if key, ok := wheres[channel]; ok {
		return i18n.T(ctx, key)
	}
	return channel
}
