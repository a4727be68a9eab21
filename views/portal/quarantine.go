package portal

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// Quarantine is the page of flagged content.
const Quarantine = "/app/quarantine"

// QuarantineProps is one page of flagged content.
type QuarantineProps struct {
	Rows []FlaggedProps
	Next int64
	Away bool
}

// FlaggedProps is one piece of content from outside in which something was noticed.
type FlaggedProps struct {
	Run, Call, Tool, Summary, From string
	Patterns                       []string
	At                             time.Time
}

func quarantineTable(ctx context.Context, p QuarantineProps) ui.Table {
	next := ""
	if p.Next > 0 {
		next = strconv.FormatInt(p.Next, 10)
	}
	t := ui.Table{
		ID: "quarantine", Caption: i18n.T(ctx, "quarantine.title"), Path: Quarantine,
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "quarantine.what"), Main: true},
			{Label: i18n.T(ctx, "quarantine.patterns")},
			{Label: i18n.T(ctx, "portal.activity.tool")},
			{Label: i18n.T(ctx, "credential.when")},
		},
		Pager: ui.Pager{Next: nextPage(Quarantine, url.Values{}, next)},
		Empty: ui.Empty{Kind: "done", Title: i18n.T(ctx, "quarantine.empty"), Body: i18n.T(ctx, "quarantine.empty_more")},
	}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "flagged-" + r.Call, Kind: "warn", Cells: []templ.Component{flaggedCall(r), patterns(r.Patterns), ui.Code(r.Tool), ui.Time(r.At)}})
	}
	return t
}
