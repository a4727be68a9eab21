package credential

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// ListProps is the list of secrets.
type ListProps struct {
	Q        string
	Rows     []RowProps
	Requests []RequestProps
	Audit    AccessesProps
	Away     bool
	Name     string // what a refused form brought
	New      string // what a refused form for a value that the server makes brought
	Kind     string
	Problems map[string]string
}

// RowProps is one secret in the list.
type RowProps struct {
	Name    string
	Kind    string
	Source  string
	Bound   int // places where it may be used
	Rotated time.Time
	Used    time.Time
	UsedBy  string
	Origin  string // where in the external vault it lives; empty: on the server
	Trouble string // why the external vault does not vouch for it now
}

func table(ctx context.Context, p ListProps) ui.Table {
	t := ui.Table{
		ID: "credentials", Caption: i18n.T(ctx, "credential.title"), Path: portal.Credentials, Query: url.Values{"q": {p.Q}},
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "credential.name"), Main: true},
			{Label: i18n.T(ctx, "credential.kind")},
			{Label: i18n.T(ctx, "credential.source")},
			{Label: i18n.T(ctx, "credential.places"), Num: true},
			{Label: i18n.T(ctx, "credential.rotated")},
			{Label: i18n.T(ctx, "credential.used")},
		},
		Search: &ui.Search{Label: i18n.T(ctx, "credential.search"), Value: p.Q},
		Empty:  ui.Empty{Kind: "new", Title: i18n.T(ctx, "credential.empty"), Body: i18n.T(ctx, "credential.empty_more")},
	}
	if p.Q != "" {
		t.Empty = ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "credential.nomatch", "q", p.Q)}
	}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "credential-" + r.Name, Cells: []templ.Component{
			name(r), ui.Text(kindWord(ctx, r.Kind)), ui.Text(sourceWord(ctx, r.Source)), ui.Text(ui.Count(ctx, int64(r.Bound))), ui.Time(r.Rotated), lastUse(ctx, r.Used),
		}})
	}
	return t
}

// lastUse is when a credential was used, if it ever was.
func lastUse(ctx context.Context, at time.Time) templ.Component {
	if at.IsZero() {
		return ui.Text(i18n.T(ctx, "portal.tokens.unused"))
	}
	return ui.Time(at)
}
