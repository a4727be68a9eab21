package usage

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Breakdown is what was used hour by hour, newest first.
type Breakdown struct {
	Agent, Model string // what is shown; empty: all
	From, To     string // days, 2006-01-02
	After, Next  string
	Agents       []string
	Models       []string
	Hours        []Hour
}

// Hour is what one agent used of one model in an hour.
type Hour struct {
	At                  time.Time
	Agent, Parent, Key  string
	Model               string
	AgentName, ForAgent string // as people call them
	Amount
}

// Query is what narrows the list.
func (b Breakdown) Query() url.Values {
	q := url.Values{}
	for name, v := range map[string]string{"agent": b.Agent, "model": b.Model, "from": b.From, "to": b.To} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return q
}

// CSV is where the list is had as a file, as it is narrowed.
func (b Breakdown) CSV() string { return CSVPath + "?" + b.Query().Encode() }

func options(all string, values []string, chosen string) []ui.Option {
	out := []ui.Option{{Label: all}}
	known := chosen == ""
	for _, v := range values {
		out = append(out, ui.Option{Value: v, Label: v})
		known = known || v == chosen
	}
	if !known {
		out = append(out, ui.Option{Value: chosen, Label: chosen})
	}
	return out
}

// Table is the list.
func Table(ctx context.Context, b Breakdown) ui.Table {
	num := func(label i18n.Key) ui.Col { return ui.Col{Label: i18n.T(ctx, label), Num: true} }
	t := ui.Table{
		ID: "hours", Caption: i18n.T(ctx, "usage.hours"), Path: BreakdownPath, Query: b.Query(),
		Filters: []ui.Filter{
			choice("agent", i18n.T(ctx, "usage.agent"), b.Agent, options(i18n.T(ctx, "usage.all_agents"), b.Agents, b.Agent)),
			choice("model", i18n.T(ctx, "usage.model"), b.Model, options(i18n.T(ctx, "usage.all_models"), b.Models, b.Model)),
			{Name: "from", Label: i18n.T(ctx, "usage.from"), Value: b.From, Kind: "date"},
			{Name: "to", Label: i18n.T(ctx, "usage.to"), Value: b.To, Kind: "date"},
		},
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "usage.hour"), Main: true},
			{Label: i18n.T(ctx, "usage.agent")},
			{Label: i18n.T(ctx, "usage.model")},
			{Label: i18n.T(ctx, "usage.key")},
			num("usage.requests"), num("usage.fresh_input"), num("usage.cache_read"), num("usage.cache_write"),
			num("usage.output"), num("usage.searches"), num("usage.tokens"),
		},
		Pager: ui.Pager{Next: portal.NextPage(BreakdownPath, b.Query(), b.Next)},
		Empty: ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "usage.nomatch"), Body: i18n.T(ctx, "usage.nomatch_body")},
		Below: below(b),
	}
	if b.After != "" {
		t.Pager.Prev = BreakdownPath + "?" + b.Query().Encode()
	}
	for i, h := range b.Hours {
		t.Rows = append(t.Rows, ui.Row{ID: "hour-" + strconv.Itoa(i), Cells: []templ.Component{
			ui.At(h.At), agentCell(h), ui.Text(h.Model), ui.Text(portal.KeyWord(ctx, h.Key)), figure(ctx, h.Requests), inputCell(h),
			figure(ctx, h.CacheRead), figure(ctx, h.CacheWrite), figure(ctx, h.Output),
			figure(ctx, h.Searches+h.Fetches), figure(ctx, h.Tokens()),
		}})
	}
	return t
}

func choice(name, label, value string, of []ui.Option) ui.Filter {
	return ui.Filter{Name: name, Label: label, Value: value, Options: of}
}

func figure(ctx context.Context, n int64) templ.Component { return ui.Text(whole(ctx, n)) }
