package activity

import (
	"context"
	"strconv"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Cost is what an answer used of models, with all that was delegated for it, and what that costs.
type Cost struct {
	Models    []ModelCost
	Drawn     int64 // tokens of the month's pool
	Cents     int64 // beyond the plan, without tax
	Charged   bool
	About     bool  // it is not invoiced yet
	Held      bool  // a price is missing
	Estimated int64 // tokens among all that were estimated
}

// ModelCost is what an answer used of one model with one key.
type ModelCost struct {
	Name, Key                            string
	Input, CacheRead, CacheWrite, Output int64
	Estimated                            int64
	Premium, Unknown                     bool
	Drawn                                int64
	Charged                              bool
	Cents                                int64
}

// Tokens are all tokens that were used.
func (c Cost) Tokens() (sum int64) {
	for _, m := range c.Models {
		sum += m.Input + m.CacheRead + m.CacheWrite + m.Output
	}
	return sum
}

// price writes an amount for one answer: less than a cent is not nothing.
func (c Cost) price(ctx context.Context, cents int64) string {
	switch {
	case cents == 0:
		return i18n.T(ctx, "portal.cost.less")
	case c.About:
		return i18n.T(ctx, "portal.cost.about", "price", i18n.Amount(ctx, cents)+" €")
	}
	return i18n.Amount(ctx, cents) + " €"
}

// of is what a model costs: those who may not see prices are told of the plan alone.
func (c Cost) of(ctx context.Context, m ModelCost) string {
	switch {
	case m.Key != "house":
		return portal.KeyWord(ctx, m.Key)
	case m.Unknown:
		return i18n.T(ctx, "portal.cost.unknown")
	case m.Charged && ui.MayManage(ctx):
		return c.price(ctx, m.Cents)
	case m.Charged && m.Premium:
		return i18n.T(ctx, "portal.cost.premium")
	case m.Charged:
		return i18n.T(ctx, "portal.cost.beyond")
	}
	return i18n.T(ctx, "portal.cost.plan")
}

func (c Cost) table(ctx context.Context) ui.Table {
	num := func(label i18n.Key) ui.Col { return ui.Col{Label: i18n.T(ctx, label), Num: true} }
	t := ui.Table{
		ID: "run-cost-models", Caption: i18n.T(ctx, "portal.cost.title"),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "usage.model"), Main: true},
			num("usage.fresh_input"), num("usage.cache_read"), num("usage.output"),
			num("portal.cost.drawn"), num("portal.cost.price"),
		},
	}
	for i, m := range c.Models {
		t.Rows = append(t.Rows, ui.Row{ID: "run-cost-" + strconv.Itoa(i), Cells: []templ.Component{
			modelCell(m), ui.Text(ui.Count(ctx, m.Input+m.CacheWrite)),
			ui.Text(ui.Count(ctx, m.CacheRead)), ui.Text(ui.Count(ctx, m.Output)),
			ui.Text(ui.Count(ctx, m.Drawn)), ui.Text(c.of(ctx, m)),
		}})
	}
	return t
}

// sentence says what all of it comes to.
func (c Cost) sentence(ctx context.Context) string {
	if c.Charged && ui.MayManage(ctx) {
		return i18n.T(ctx, "portal.cost.sum_price", "n", c.Tokens(), "drawn", c.Drawn, "price", c.price(ctx, c.Cents))
	}
	return i18n.T(ctx, "portal.cost.sum", "n", c.Tokens(), "drawn", c.Drawn)
}
