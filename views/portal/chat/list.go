package chat

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// ListProps is the list of conversations.
type ListProps struct {
	Q, After, Next string
	Away           bool
	Archived       bool   // those that were archived are listed
	Dropped        string // name of a draft whose conversation was deleted; empty: none was
	Rows           []RowProps
}

// RowProps is one conversation in a list.
type RowProps struct {
	ID, Title string
	Agent     ui.Agent
	Last      string
	State     string
	Verdict   string
	At        time.Time
	Turns     int
}

func title(ctx context.Context, t RowProps) string {
	if t.Title != "" {
		return t.Title
	}
	return i18n.T(ctx, "portal.talks.untitled")
}

func table(ctx context.Context, p ListProps) ui.Table {
	query := url.Values{"q": {p.Q}}
	if p.Archived {
		query.Set("show", "archived")
	}
	t := ui.Table{
		ID: "talks", Caption: i18n.T(ctx, "portal.talks.title"), Path: portal.Conversations, Query: query,
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "portal.talks.what"), Main: true},
			{Label: i18n.T(ctx, "portal.talks.with")},
			{Label: i18n.T(ctx, "portal.talks.proof")},
			{Label: i18n.T(ctx, "portal.talks.turns"), Num: true},
			{Label: i18n.T(ctx, "portal.talks.when")},
			{Label: i18n.T(ctx, "portal.talks.actions"), Hide: true},
		},
		Search: &ui.Search{Label: i18n.T(ctx, "portal.talks.search"), Value: p.Q},
		Pager:  ui.Pager{Next: portal.NextPage(portal.Conversations, query, p.Next)},
		Empty:  ui.Empty{Kind: "new", Title: i18n.T(ctx, "portal.talks.empty"), Body: i18n.T(ctx, "portal.talks.empty_more"), Action: &ui.Crumb{Label: i18n.T(ctx, "portal.home.talk"), Href: portal.Chat}},
	}
	if p.Archived {
		t.Keep = map[string]string{"show": "archived"}
		t.Empty = ui.Empty{
			Kind: "new", Title: i18n.T(ctx, "portal.talks.none_archived"), Body: i18n.T(ctx, "portal.talks.none_archived_more"),
		}
	}
	if p.Q != "" {
		t.Empty = ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "portal.talks.nomatch", "q", p.Q)}
	}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "talk-" + r.ID, Cells: []templ.Component{
			row(r), ui.Text(r.Agent.Name), verdict(r.State, r.Verdict), ui.Text(ui.Count(ctx, int64(r.Turns))), ui.Time(r.At),
			archiveForm(r.ID, p.Archived),
		}})
	}
	return t
}

// listHead is the top of the list, or of the list of what was archived.
func listHead(ctx context.Context, p ListProps) ui.PageHead {
	if p.Archived {
		return ui.PageHead{
			Title: i18n.T(ctx, "portal.talks.archived"), Lead: i18n.T(ctx, "portal.talks.archived_lead"),
			Back: &ui.Crumb{Label: i18n.T(ctx, "portal.talks.title"), Href: portal.Conversations},
		}
	}
	return ui.PageHead{Title: i18n.T(ctx, "portal.talks.title"), Lead: i18n.T(ctx, "portal.talks.lead")}
}
