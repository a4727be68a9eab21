package permission

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// PreviewProps is what other rules would have changed.
type PreviewProps struct {
	Problems []string
	Checked  int
	Looser   int
	Loosens  bool
	Diff     string
	Changed  []ChangedProps
}

// ChangedProps is a past call that would have been decided otherwise.
type ChangedProps struct {
	Run, Summary, Agent, Tier, Before, After, Why string
	At                                            time.Time
}

func previewKind(p PreviewProps) string {
	switch {
	case p.Loosens:
		return "warn"
	case len(p.Changed) > 0:
		return "info"
	}
	return "ok"
}

// previewWords says what a person has to know before saving.
func previewWords(ctx context.Context, p PreviewProps) string {
	switch {
	case p.Loosens && p.Looser == 0:
		return i18n.T(ctx, "permission.loosens_none")
	case p.Loosens:
		return i18n.T(ctx, "permission.loosens", "n", p.Looser)
	case len(p.Changed) == 0:
		return i18n.T(ctx, "permission.changes_none")
	}
	return i18n.T(ctx, "permission.changes", "n", len(p.Changed))
}

func effectKind(effect string) string {
	switch effect {
	case "allow":
		return "ok"
	case "deny":
		return "bad"
	}
	return "warn"
}

func changedTable(ctx context.Context, p PreviewProps) ui.Table {
	t := ui.Table{
		ID: "changed", Caption: i18n.T(ctx, "permission.preview_title"),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "permission.call"), Main: true},
			{Label: i18n.T(ctx, "portal.activity.agent")},
			{Label: i18n.T(ctx, "portal.activity.tier")},
			{Label: i18n.T(ctx, "permission.outcome")},
			{Label: i18n.T(ctx, "credential.when")},
		},
		Empty: ui.Empty{Kind: "done", Title: i18n.T(ctx, "permission.changes_none")},
	}
	for _, c := range p.Changed {
		t.Rows = append(t.Rows, ui.Row{Cells: []templ.Component{changedCall(c), ui.Text(c.Agent), ui.TierBadge(c.Tier), changedEffect(c), ui.Time(c.At)}})
	}
	return t
}
