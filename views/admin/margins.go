package admin

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/chart"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// Margins is what customers cost and brought in in a month. Amounts are cents without tax.
type Margins struct {
	Month     string // 2026-11
	Running   bool
	Total     MarginSum
	Customers []MarginSum // a page of them
	From, Of  int         // the first of the page, of how many
	Next      string
	Search    string
	Sort      string
	Models    []MarginSum
	Agents    []Outlier
	Months    []MarginSum // of the chart, the oldest first; each is named as Month is

	Times, Requests, Least int64 // when an agent stands out
}

// MarginSum is what a customer or a model cost and brought in.
type MarginSum struct {
	ID, Name              string
	Tokens, Unpriced      int64
	Cost, Revenue, Margin int64
}

// Outlier is an agent that costs out of proportion.
type Outlier struct {
	Customer, Name, Agent        string
	Requests, Cost, Times, Share int64
}

func (m Margins) query() url.Values {
	q := url.Values{"month": {m.Month}, "sort": {m.Sort}}
	if m.Search != "" {
		q.Set("q", m.Search)
	}
	return q
}

// file is where all customers of the page are had as CSV.
func (m Margins) file() string { return MarginsFile + "?" + m.query().Encode() }

// other is the month before or after; empty: it lies ahead.
func (m Margins) other(months int) string {
	at, err := time.Parse("2006-01", m.Month)
	if err != nil || months > 0 && m.Running {
		return ""
	}
	return MarginsPath + "?" + url.Values{"month": {at.AddDate(0, months, 0).Format("2006-01")}}.Encode()
}

func inEuros(ctx context.Context, cents int64) string { return i18n.Amount(ctx, cents) + " €" }

// money is the chart of what months cost and brought in.
func (m Margins) money(ctx context.Context) chart.Bars {
	b := m.chart(ctx, "money", "margins.chart_money", func(s MarginSum) []int64 { return []int64{s.Cost, s.Revenue, s.Margin} })
	b.Beside = true
	b.Parts = []string{i18n.T(ctx, "margins.cost"), i18n.T(ctx, "margins.revenue"), i18n.T(ctx, "margins.margin")}
	b.Whole = func(n int64) string { return inEuros(ctx, n) }
	b.Short = b.Whole
	return b
}

// tokens is the chart of what was used in months.
func (m Margins) tokens(ctx context.Context) chart.Bars {
	b := m.chart(ctx, "tokens", "margins.chart_tokens", func(s MarginSum) []int64 { return []int64{s.Tokens} })
	b.Parts = []string{i18n.T(ctx, "usage.tokens")}
	b.Whole = func(n int64) string { return ui.Count(ctx, n) }
	b.Short = func(n int64) string { return ui.Tokens(ctx, n) }
	return b
}

func (m Margins) chart(ctx context.Context, id string, title i18n.Key, values func(MarginSum) []int64) chart.Bars {
	b := chart.Bars{ID: id, Title: i18n.T(ctx, title), First: i18n.T(ctx, "margins.month"), Table: i18n.T(ctx, "usage.table")}
	for _, s := range m.Months {
		b.Bars = append(b.Bars, chart.Bar{Name: s.Name, Values: values(s)})
	}
	return b
}

func (m Margins) customers(ctx context.Context) ui.Table {
	col := func(label i18n.Key, sort string) ui.Col {
		return ui.Col{Label: i18n.T(ctx, label), Sort: sort, Num: sort != "name", Main: sort == "name"}
	}
	t := ui.Table{
		ID: "margins", Caption: i18n.T(ctx, "analytics.customers"), Path: MarginsPath, Query: m.query(), Sort: m.Sort,
		Keep: map[string]string{"month": m.Month}, Search: search(ctx, m.Search),
		Cols: []ui.Col{
			col("analytics.name", "name"), col("usage.tokens", "tokens"), col("margins.cost", "cost"), col("margins.revenue", "revenue"),
			col("margins.margin", "margin"),
		},
		Empty: empty(ctx, m.Search != "", "margins.empty", "margins.empty_body"), Below: marginsBelow(m),
	}
	page := func(after string) string {
		q := m.query()
		q.Set("after", after)
		return MarginsPath + "?" + q.Encode()
	}
	if m.From > 0 {
		t.Pager.Prev = page("0")
	}
	if m.Next != "" {
		t.Pager.Next = page(m.Next)
	}
	for _, s := range m.Customers {
		row := ui.Row{ID: "margin-" + s.ID, Cells: []templ.Component{
			ui.Link(CustomerPath(s.ID), s.Name), ui.Text(ui.Count(ctx, s.Tokens)),
			euros(ctx, s.Cost), euros(ctx, s.Revenue), euros(ctx, s.Margin),
		}}
		if s.Margin < 0 && !m.Running {
			row.Kind = "bad"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (m Margins) models(ctx context.Context) ui.Table {
	num := func(label i18n.Key) ui.Col { return ui.Col{Label: i18n.T(ctx, label), Num: true} }
	t := ui.Table{
		ID: "margin-models", Caption: i18n.T(ctx, "analytics.models"), Path: MarginsPath,
		Cols:  []ui.Col{{Label: i18n.T(ctx, "usage.model"), Main: true}, num("usage.tokens"), num("margins.unpriced"), num("margins.cost")},
		Empty: ui.Empty{Kind: "new", Title: i18n.T(ctx, "margins.empty")},
	}
	for i, s := range m.Models {
		t.Rows = append(t.Rows, ui.Row{ID: "margin-model-" + strconv.Itoa(i), Cells: []templ.Component{
			ui.Text(s.Name), ui.Text(ui.Count(ctx, s.Tokens)), ui.Text(ui.Count(ctx, s.Unpriced)), euros(ctx, s.Cost),
		}})
	}
	return t
}

func (m Margins) agents(ctx context.Context) ui.Table {
	num := func(label i18n.Key) ui.Col { return ui.Col{Label: i18n.T(ctx, label), Num: true} }
	t := ui.Table{
		ID: "margin-agents", Caption: i18n.T(ctx, "margins.agents"), Path: MarginsPath,
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "usage.agent"), Main: true},
			{Label: i18n.T(ctx, "admin.col.customer")},
			num("usage.requests"), num("margins.cost"),
			num("margins.times"), num("margins.share"),
		},
		Empty: ui.Empty{Kind: "done", Title: i18n.T(ctx, "margins.agents_none")},
	}
	for i, o := range m.Agents {
		t.Rows = append(t.Rows, ui.Row{ID: "margin-agent-" + strconv.Itoa(i), Cells: []templ.Component{
			ui.Text(o.Agent), ui.Link(CustomerPath(o.Customer), o.Name), ui.Text(ui.Count(ctx, o.Requests)), euros(ctx, o.Cost),
			ui.Text(ui.Count(ctx, o.Times) + " ×"), ui.Text(ui.Count(ctx, o.Share) + " %"),
		}})
	}
	return t
}
