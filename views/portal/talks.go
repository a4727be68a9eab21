package portal

import (
	"context"
	"net/url"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

func talkTitle(ctx context.Context, t TalkProps) string {
	if t.Title != "" {
		return t.Title
	}
	return i18n.T(ctx, "portal.talks.untitled")
}

func talksTable(ctx context.Context, p TalksProps) ui.Table {
	t := ui.Table{
		ID: "talks", Caption: i18n.T(ctx, "portal.talks.title"), Path: Conversations, Query: url.Values{"q": {p.Q}},
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "portal.talks.what"), Main: true},
			{Label: i18n.T(ctx, "portal.talks.with")},
			{Label: i18n.T(ctx, "portal.talks.proof")},
			{Label: i18n.T(ctx, "portal.talks.turns"), Num: true},
			{Label: i18n.T(ctx, "portal.talks.when")},
		},
		Search: &ui.Search{Label: i18n.T(ctx, "portal.talks.search"), Value: p.Q},
		Pager:  ui.Pager{Next: nextPage(Conversations, url.Values{"q": {p.Q}}, p.Next)},
		Empty:  ui.Empty{Kind: "new", Title: i18n.T(ctx, "portal.talks.empty"), Body: i18n.T(ctx, "portal.talks.empty_more"), Action: &ui.Crumb{Label: i18n.T(ctx, "portal.home.talk"), Href: Chat}},
	}
	if p.Q != "" {
		t.Empty = ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "portal.talks.nomatch", "q", p.Q)}
	}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "talk-" + r.ID, Cells: []templ.Component{
			talk(r), ui.Text(r.Agent.Name), proof(r.State, r.Verdict), ui.Text(ui.Count(int64(r.Turns))), ui.Time(r.At),
		}})
	}
	return t
}

// nextPage is the address of the page after one, "" at the end.
func nextPage(path string, q url.Values, next string) string {
	if next == "" {
		return ""
	}
	q.Set("after", next)
	for name, v := range q {
		if len(v) == 0 || v[0] == "" {
			q.Del(name)
		}
	}
	return path + "?" + q.Encode()
}
