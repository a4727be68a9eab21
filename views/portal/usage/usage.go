package usage

import (
	"context"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/chart"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// The pages of the section.
const (
	BreakdownPath = portal.Usage + "/breakdown"
	CSVPath       = portal.Usage + "/breakdown.csv"
)

// Amount is a sum of tokens, each counted once.
type Amount struct {
	Requests, Input, CacheRead, CacheWrite, Output int64
	Estimated                                      int64 // tokens among them that were estimated
	Searches, Fetches                              int64
}

// Tokens are all of them.
func (a Amount) Tokens() int64 { return a.Input + a.CacheRead + a.CacheWrite + a.Output }

// Props is what was used in a span of time.
type Props struct {
	Span       string // day, week or month
	From, Last time.Time
	Earlier    string // addresses of the spans before and after; empty: there is none
	Later      string
	UpTo       time.Time // until when all is known; zero: nothing was heard yet
	Steps      []Step
	Total      Amount
	Agents     []Share
	Models     []Share
	Low        *portal.LowPool // nil: most of the month's tokens are left
	Pool       *Pool           // nil: no month runs
}

// Step is an hour or a day.
type Step struct {
	At   time.Time
	Hour bool
	Amount
}

// Share is what one agent or model used.
type Share struct {
	Name string
	For  string // the agent for which a sub-agent worked
	Keys []string
	Amount
}

// spans are the choices above the chart.
var spans = []struct {
	name  string
	label i18n.Key
}{{"day", "usage.day"}, {"week", "usage.week"}, {"month", "usage.month"}}

func (p Props) tabs(ctx context.Context) (all []ui.Tab) {
	for _, s := range spans {
		all = append(all, ui.Tab{Label: i18n.T(ctx, s.label), Href: portal.Usage + "?range=" + s.name, Current: s.name == p.Span})
	}
	return all
}

func (s Step) name(ctx context.Context) string {
	if s.Hour {
		return ui.Clock(s.At, ui.Of(ctx).Zone)
	}
	return i18n.Day(ctx, s.At.In(ui.Of(ctx).Zone))
}

func (p Props) period(ctx context.Context) string {
	first, last := i18n.Day(ctx, p.From), i18n.Day(ctx, p.Last)
	if first == last {
		return first
	}
	return first + " – " + last
}

func keyWords(ctx context.Context, keys []string) (all string) {
	for i, k := range keys {
		if i > 0 {
			all += ", "
		}
		all += portal.KeyWord(ctx, k)
	}
	return all
}

// whole writes tokens exactly; short writes them for a glance.
func whole(ctx context.Context, n int64) string { return ui.Count(ctx, n) }

func short(ctx context.Context, n int64) string {
	switch {
	case n >= 1_000_000:
		return i18n.T(ctx, "usage.millions", "n", i18n.Decimal(ctx, float64(n)/1e6, 1))
	case n >= 10_000:
		return i18n.T(ctx, "usage.thousands", "n", i18n.Decimal(ctx, float64(n)/1e3, 0))
	}
	return ui.Count(ctx, n)
}

// exactly is the whole number where short does not write it.
func exactly(ctx context.Context, n int64) string {
	if text := whole(ctx, n); text != short(ctx, n) {
		return text
	}
	return ""
}

// bars is the picture of the steps.
func (p Props) bars(ctx context.Context) chart.Bars {
	b := chart.Bars{
		ID: "usage", Title: i18n.T(ctx, "usage.chart"), First: i18n.T(ctx, "usage.step"), Table: i18n.T(ctx, "usage.table"),
		Parts: []string{i18n.T(ctx, "usage.input"), i18n.T(ctx, "usage.cache_read"), i18n.T(ctx, "usage.output")},
		Short: func(n int64) string { return short(ctx, n) }, Whole: func(n int64) string { return whole(ctx, n) },
	}
	for _, s := range p.Steps {
		b.Bars = append(b.Bars, chart.Bar{Name: s.name(ctx), Values: []int64{s.Input + s.CacheWrite, s.CacheRead, s.Output}})
	}
	return b
}

// whole10 is a number in an attribute.
func whole10(n int64) string { return strconv.FormatInt(n, 10) }

// percent is a share, in percent with one decimal below ten: what little there is does not read as nothing.
func percent(ctx context.Context, part, whole int64) string {
	if whole <= 0 {
		return "0 %"
	}
	share := float64(part) * 100 / float64(whole)
	if share > 0 && share < 10 {
		return i18n.Decimal(ctx, max(share, .1), 1) + " %"
	}
	return i18n.Decimal(ctx, share, 0) + " %"
}

// shareTable lists what each agent or model used.
func shareTable(ctx context.Context, id, title, first string, all []Share, total int64) ui.Table {
	t := ui.Table{
		ID: id + "-list", Caption: title, Path: portal.Usage,
		Cols: []ui.Col{
			{Label: first, Main: true},
			{Label: i18n.T(ctx, "usage.key")},
			{Label: i18n.T(ctx, "usage.requests"), Num: true},
			{Label: i18n.T(ctx, "usage.tokens"), Num: true},
			{Label: i18n.T(ctx, "usage.share")},
		},
	}
	for i, s := range all {
		t.Rows = append(t.Rows, ui.Row{ID: id + "-" + strconv.Itoa(i), Cells: []templ.Component{
			shareCell(s), ui.Text(keyWords(ctx, s.Keys)), figure(ctx, s.Requests), figure(ctx, s.Tokens()), shareBar(s, total),
		}})
	}
	return t
}
