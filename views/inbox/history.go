package inbox

import (
	"context"
	"net/url"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

func historyTable(ctx context.Context, p HistoryProps) ui.Table {
	t := ui.Table{
		ID: "decided", Caption: i18n.T(ctx, "inbox.history"), Path: HistoryPath(p.Base), Query: url.Values{},
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "inbox.asked"), Main: true},
			{Label: i18n.T(ctx, "inbox.risk")},
			{Label: i18n.T(ctx, "inbox.decision")},
			{Label: i18n.T(ctx, "inbox.execution")},
			{Label: i18n.T(ctx, "inbox.at")},
		},
		Filters: []ui.Filter{{
			Name: "tier", Label: i18n.T(ctx, "inbox.risk"), Value: p.Tier, Options: tierOptions(ctx),
		}},
		Pager: ui.Pager{Next: p.next()},
		Empty: ui.Empty{Kind: "new", Title: i18n.T(ctx, "inbox.history_empty"), Body: i18n.T(ctx, "inbox.history_empty_more")},
	}
	for _, c := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "decided-" + c.ID, Cells: []templ.Component{what(c), tier(c.Tier), decision(c), execution(c), when(c)}})
	}
	return t
}

func when(c CardProps) templ.Component {
	if c.Decision == nil {
		return ui.Time(c.Created)
	}
	return ui.Time(c.Decision.At)
}

func tierOptions(ctx context.Context) []ui.Option {
	out := []ui.Option{{Label: i18n.T(ctx, "inbox.all")}}
	for _, t := range []string{"yellow", "yellow_external", "red", "critical_red"} {
		out = append(out, ui.Option{Value: t, Label: ui.TierWord(ctx, t)})
	}
	return out
}

func kindOf(state string) string {
	switch state {
	case "allowed":
		return "ok"
	case "denied":
		return "bad"
	}
	return ""
}

func executionKind(e string) string {
	switch e {
	case "done":
		return "ok"
	case "failed":
		return "bad"
	case "unknown":
		return "warn"
	case "queued", "running":
		return "busy"
	}
	return "off"
}
