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
	if p.Staff {
		t.Search = &ui.Search{Label: i18n.T(ctx, "inbox.search"), Value: p.Search}
	}
	switch {
	case p.Search != "":
		t.Empty = notFound(ctx, p.Search, "")
	case p.Tier != "" || p.Agent != "":
		t.Empty = ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "inbox.history_nomatch")}
	}
	for _, c := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "decided-" + c.ID, Cells: []templ.Component{what(c), tier(c.Tier), decision(c), execution(c), when(c)}})
	}
	return t
}

func historyLead(ctx context.Context, staff bool) string {
	if staff {
		return i18n.T(ctx, "inbox.history_lead_staff")
	}
	return i18n.T(ctx, "inbox.history_lead")
}

// notFound is what stands where a search found nothing; clear leads to the whole list, where the list does not itself.
func notFound(ctx context.Context, search, clear string) ui.Empty {
	e := ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "inbox.notfound", "text", search), Body: i18n.T(ctx, "inbox.notfound_more")}
	if clear != "" {
		e.Action = &ui.Crumb{Label: i18n.T(ctx, "inbox.clear"), Href: clear}
	}
	return e
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
