package admin

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// UnchargedOf is what of a customer's usage stands on no invoice.
func UnchargedOf(customer string) string { return CustomerPath(customer) + "/uncharged" }

// UnchargedFile is the same as CSV.
func UnchargedFile(customer string) string { return UnchargedOf(customer) + ".csv" }

// Uncharged is what of a customer's usage stands on no invoice.
type Uncharged struct {
	Customer, Name string
	Search, Why    string
	Query          url.Values
	Tokens         int64 // of the rows
	Rows           []UnchargedRow
}

// UnchargedRow is usage with the reason why it stands on no invoice. To is the hour after the last.
type UnchargedRow struct {
	Why      string // before, between, late
	From, To time.Time
	Tokens   int64
}

var whyUncharged = map[string]i18n.Key{
	"before": "uncharged.before", "between": "uncharged.between", "late": "uncharged.late",
}

// UnchargedTable is the list of it.
func UnchargedTable(ctx context.Context, p Uncharged) ui.Table {
	reasons := []ui.Option{{Label: i18n.T(ctx, "uncharged.all")}}
	for _, why := range []string{"before", "between", "late"} {
		reasons = append(reasons, ui.Option{Value: why, Label: i18n.T(ctx, whyUncharged[why])})
	}
	t := ui.Table{
		ID: "uncharged", Caption: i18n.T(ctx, "uncharged.title"), Path: UnchargedOf(p.Customer), Query: p.Query,
		Search:  &ui.Search{Label: i18n.T(ctx, "uncharged.search"), Value: p.Search},
		Filters: []ui.Filter{{Name: "why", Label: i18n.T(ctx, "uncharged.why"), Value: p.Why, Options: reasons}},
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "bills.from"), Main: true},
			{Label: i18n.T(ctx, "uncharged.to")},
			{Label: i18n.T(ctx, "usage.tokens"), Num: true},
			{Label: i18n.T(ctx, "uncharged.why")},
		},
		Empty: empty(ctx, p.Search != "" || p.Why != "", "uncharged.none", "uncharged.none_body"), Below: unchargedBelow(p),
	}
	for i, r := range p.Rows {
		t.Rows = append(t.Rows, ui.Row{ID: "uncharged-" + strconv.Itoa(i), Cells: []templ.Component{
			ui.At(r.From), ui.At(r.To), ui.Text(ui.Count(ctx, r.Tokens)), ui.Text(i18n.T(ctx, whyUncharged[r.Why])),
		}})
	}
	return t
}

// file is where the rows are had as CSV.
func (p Uncharged) file() string {
	return (&url.URL{Path: UnchargedFile(p.Customer), RawQuery: p.Query.Encode()}).String()
}
