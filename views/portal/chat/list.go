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
	t := ui.Table{
		ID: "talks", Caption: i18n.T(ctx, "portal.talks.title"), Path: portal.Conversations, Query: url.Values{"q": {p.Q}},
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "portal.talks.what"), Main: true},
			{Label: i18n.T(ctx, "portal.talks.with")},
			{Label: i18n.T(ctx, "portal.talks.proof")},
			{Label: i18n.T(ctx, "portal.talks.turns"), Num: true},
			{Label: i18n.T(ctx, "portal.talks.when")},
		},
		Search: &ui.Search{Label: i18n.T(ctx, "portal.talks.search"), Value: p.Q},
		Pager:  ui.Pager{Next: portal.NextPage(portal.Conversations, url.Values{"q": {p.Q}}, p.Next)},
		Empty:  ui.Empty{Kind: "new", Title: i18n.T(ctx, "portal.talks.empty"), Body: i18n.T(ctx, "portal.talks.empty_more"), Action: &ui.Crumb{Label: i18n.T(ctx, "portal.home.talk"), Href: portal.Chat}},
	}
	if p.Q != "" {
		t.Empty = ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "portal.talks.nomatch", "q", p.Q)}
	}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "talk-" + r.ID, Cells: []templ.Component{
			row(r), ui.Text(r.Agent.Name), verdict(r.State, r.Verdict), ui.Text(ui.Count(int64(r.Turns))), ui.Time(r.At),
		}})
	}
	return t
}
