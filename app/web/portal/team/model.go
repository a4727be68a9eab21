package team

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/team"
)

// Prices says what models cost beyond the plan; billing.Service does.
type Prices interface {
	// Premium is what a premium model costs; false when nobody could be charged for it.
	Premium(ctx context.Context, model string) (billing.Extra, bool, error)
	// OverageMarkups are the markups, in percent, on what models cost beyond the pool.
	OverageMarkups(ctx context.Context) ([]int64, error)
	// CardMissing says that nobody could be charged, for the customer has no means of payment on file.
	CardMissing(ctx context.Context, of account.CustomerID) (bool, error)
}

// model answers GET /app/agents/:agent/model: what one agent thinks with, and its budget.
func (p *Pages) model(c echo.Context) error { return p.showModel(c, http.StatusOK, modelSaid{}) }

// modelSaid is what the page answers to what was sent.
type modelSaid struct{ typed, budget, model string }

func (p *Pages) showModel(c echo.Context, status int, said modelSaid) error {
	ctx, of := c.Request().Context(), frame.Customer(c)
	one, err := p.agentProps(ctx, of, c.Param("agent"))
	if err != nil {
		return err
	}
	set, err := p.Team.State(ctx, of)
	if err != nil {
		return err
	}
	own := set.Config.Agents[one.Agent.Agent.ID]
	props := views.ModelProps{
		Agent: one.Agent, Sync: one.Sync, Day: own.Day, Typed: said.typed, Problem: said.budget, Refused: said.model,
	}
	if props.NoCard, err = p.Prices.CardMissing(ctx, of); err != nil {
		return err
	}
	if props.Models, err = p.choices(web.Context(c), set.Config.Spend.Models, own.Model); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{
		Title: i18n.T(web.Context(c), "portal.model.title", "agent", one.Agent.Agent.Name), Topic: "agent&id=" + one.Agent.Agent.ID,
		Away: one.Away, Partial: true,
	})
	if err != nil {
		return err
	}
	outer.Failed, props.Rehearsal = said.budget+said.model != "", outer.Rehearsal
	return web.Render(c, status, views.ModelPage(outer, props))
}

// choices are what the operator offers, presets first.
func (p *Pages) choices(ctx context.Context, menu wire.ModelMenu, now string) ([]views.ModelProp, error) {
	now = cmp.Or(now, wire.PresetBalanced)
	var out []views.ModelProp
	for _, preset := range []string{wire.PresetBasic, wire.PresetBalanced, wire.PresetComplex} {
		out = append(out, views.ModelProp{Value: preset, Model: menu.Presets[preset], Chosen: preset == now})
	}
	for _, name := range menu.Premium {
		price, known, err := p.Prices.Premium(ctx, name)
		if err != nil {
			return nil, err
		}
		one := views.ModelProp{Value: name, Premium: true, Chosen: name == now}
		if known {
			one.Price = i18n.T(ctx, "portal.model.price", "in", i18n.Euros(ctx, int64(price.Input)), "out",
				i18n.Euros(ctx, int64(price.Output)))
		}
		out = append(out, one)
	}
	return out, nil
}

// saveModel answers POST /app/agents/:agent/model: another model, or another budget of a day.
func (p *Pages) saveModel(c echo.Context) error {
	if c.FormValue("save") == "budget" {
		return p.saveAgentBudget(c)
	}
	id, model := c.Param("agent"), c.FormValue("model")
	_, err := p.changeAgent(c, team.Model(id, model))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid && f.Fields["model"] != "" {
		return p.showModel(c, http.StatusUnprocessableEntity, modelSaid{model: f.Fields["model"]})
	}
	if err != nil {
		return err
	}
	p.said(c, "portal.model.now", "agent", p.name(c), "model", views.ModelName(web.Context(c), model))
	return frame.GoTo(c, views.ModelPath(id))
}

func (p *Pages) saveAgentBudget(c echo.Context) error {
	id, typed := c.Param("agent"), strings.TrimSpace(c.FormValue("tokens"))
	_, err := p.changeAgent(c, team.Budget(id, tokens(typed)))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return p.showModel(c, http.StatusUnprocessableEntity, modelSaid{typed: typed, budget: f.Fields["tokens"]})
	}
	if err != nil {
		return err
	}
	p.said(c, "portal.limits.saved", "budget", views.BudgetWord(web.Context(c), tokens(typed)))
	return frame.GoTo(c, views.ModelPath(id))
}
