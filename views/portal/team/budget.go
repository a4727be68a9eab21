package team

import (
	"context"
	"strconv"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// LimitsProps is what the team as a whole may use.
type LimitsProps struct {
	Sync    portal.SyncProps
	Away    bool
	Beyond  bool   // it works on, for money, when the pool is empty
	Pool    string // of the billing period, in words; empty: none is counted
	Price   string // of what goes beyond the pool, in words
	Day     int64  // tokens a day of all together; 0: no limit
	Typed   string // what was typed and could not be saved
	Problem string
	Agents  []AgentBudget
	Chats   ChatsProps

	Embeddings EmbeddingsProps
}

// EmbeddingsProps is which model says what notes mean.
type EmbeddingsProps struct {
	Now     string // has the texts of notes; empty: none
	Offered string // the operator's; empty: none
}

// model is the one that the owner may sign for; empty: there is nothing to sign for.
func (p EmbeddingsProps) model() string {
	if p.Offered == p.Now {
		return ""
	}
	return p.Offered
}

// AgentBudget is one agent's budget.
type AgentBudget struct {
	Agent ui.Agent
	Day   int64
}

// budgetValue is the field of a day's budget as it is shown or was typed.
func budgetValue(day int64, typed string) string {
	if typed != "" || day == 0 {
		return typed
	}
	return strconv.FormatInt(day, 10)
}

// BudgetWord says a day's budget.
func BudgetWord(ctx context.Context, day int64) string {
	if day == 0 {
		return i18n.T(ctx, "portal.limits.none")
	}
	return i18n.T(ctx, "portal.limits.a_day", "n", day)
}

// signsBudget tells the script what a form of a budget changes: the number of tokens is the one that is typed.
func signsBudget(s portal.SyncProps, agent string, now int64) templ.Attributes {
	out := portal.Signs(s, "budget", map[string]any{"agent": agent})
	out["data-change-tokens"], out["data-now"] = "", strconv.FormatInt(now, 10)
	return out
}

// beyondPower asks before the team goes on for money.
func beyondPower(ctx context.Context, p LimitsProps) portal.Power {
	return portal.Power{
		ID: "confirm-beyond", Form: "beyond", Name: "beyond", Value: "1", Cancel: portal.Limits,
		Title: i18n.T(ctx, "portal.limits.confirm"), Says: says(i18n.T(ctx, "portal.limits.confirm_says", "price", p.Price)),
		Do: i18n.T(ctx, "portal.limits.go_on"),
	}
}

// embeddingsPower asks before a model gets the texts of notes.
func embeddingsPower(ctx context.Context, model string) portal.Power {
	return portal.Power{
		ID: "confirm-meaning", Form: "meaning", Name: "model", Value: model, Cancel: portal.Limits,
		Title: i18n.T(ctx, "meaning.confirm"), Says: says(i18n.T(ctx, "meaning.confirm_says", "model", model)),
		Do: i18n.T(ctx, "meaning.switch_on"),
	}
}

// budgetPower asks before a budget rises or goes.
func budgetPower(ctx context.Context, back string) portal.Power {
	return portal.Power{
		ID: "confirm-budget", Form: "budget", Name: "save", Value: "budget", Cancel: back,
		Title: i18n.T(ctx, "portal.limits.confirm_budget"), Says: says(i18n.T(ctx, "portal.limits.confirm_budget_says")),
		Do: i18n.T(ctx, "portal.save"),
	}
}

func says(text string) []ui.Option { return []ui.Option{{Label: text}} }
