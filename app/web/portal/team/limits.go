package team

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/team"
)

// limits answers GET /app/agents/limits: what the team as a whole may use.
func (p *Pages) limits(c echo.Context) error { return p.showLimits(c, http.StatusOK, limitsTyped{}) }

// limitsTyped is what was typed on the page and could not be saved.
type limitsTyped struct {
	tokens, problem string
	chats           *views.ChatsProps
}

func (p *Pages) showLimits(c echo.Context, status int, typed limitsTyped) error {
	ctx, of := c.Request().Context(), frame.Customer(c)
	all, away, err := p.teamProps(ctx, of)
	if err != nil {
		return err
	}
	set, err := p.Team.State(ctx, of)
	if err != nil {
		return err
	}
	spend := set.Config.Spend
	props := views.LimitsProps{
		Sync: all.Sync, Away: away, Beyond: spend.Beyond, Day: spend.Day, Typed: typed.tokens, Problem: typed.problem,
	}
	if props.Chats = chatsProps(set.Config.Chats); typed.chats != nil {
		props.Chats = *typed.chats
	}
	markups, err := p.Prices.OverageMarkups(ctx)
	if err != nil {
		return err
	}
	if len(markups) > 0 {
		low, high := slices.Min(markups), slices.Max(markups)
		props.Price = i18n.T(web.Context(c), "portal.limits.price", "low", low, "high", high)
	}
	props.Embeddings = views.EmbeddingsProps{Now: spend.Embeddings, Offered: spend.Models.Embeddings}
	if spend.Pool != nil {
		props.Pool = i18n.T(web.Context(c), "portal.limits.pool_words", "n", spend.Pool.Tokens)
	}
	for _, a := range all.Agents {
		props.Agents = append(props.Agents, views.AgentBudget{Agent: a.Agent, Day: set.Config.Agents[a.Agent.ID].Day})
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.limits.title"), Away: away, Partial: true})
	if err != nil {
		return err
	}
	outer.Failed = status != http.StatusOK
	return web.Render(c, status, views.LimitsPage(outer, props))
}

// saveBeyond answers POST /app/agents/limits/beyond: whether the team goes on, for money, when the pool is empty.
func (p *Pages) saveBeyond(c echo.Context) error {
	on := c.FormValue("beyond") == "1"
	if _, err := signing.Change(c, p.Team, team.Beyond(on)); err != nil {
		return err
	}
	if on {
		undo := web.Undo{Path: portal.Limits + "/beyond", Fields: map[string]string{"beyond": "0"}}
		web.FlashUndo(c, i18n.T(web.Context(c), "portal.limits.now_beyond"), undo)
	} else {
		p.said(c, "portal.limits.now_stop")
	}
	return frame.GoTo(c, portal.Limits)
}

// saveEmbeddings answers POST /app/agents/limits/meaning: which model gets the texts of notes, to say what they mean.
func (p *Pages) saveEmbeddings(c echo.Context) error {
	model := c.FormValue("model")
	if _, err := signing.Change(c, p.Team, team.Embeddings(model)); err != nil {
		return err
	}
	if model == "" {
		p.said(c, "meaning.now_off")
	} else {
		p.said(c, "meaning.now_on", "model", model)
	}
	return frame.GoTo(c, portal.Limits)
}

// saveLimits answers POST /app/agents/limits: how many tokens a day all agents together may use.
func (p *Pages) saveLimits(c echo.Context) error {
	typed := strings.TrimSpace(c.FormValue("tokens"))
	_, err := signing.Change(c, p.Team, team.Budget("", tokens(typed)))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return p.showLimits(c, http.StatusUnprocessableEntity, limitsTyped{tokens: typed, problem: f.Fields["tokens"]})
	}
	if err != nil {
		return err
	}
	p.said(c, "portal.limits.saved", "budget", views.BudgetWord(web.Context(c), tokens(typed)))
	return frame.GoTo(c, portal.Limits)
}

// tokens reads a budget as it was typed: empty is none, and what is no number is refused with the others.
func tokens(typed string) int64 {
	if typed == "" {
		return 0
	}
	n, err := strconv.ParseInt(typed, 10, 64)
	if err != nil || n == 0 {
		return -1
	}
	return n
}
