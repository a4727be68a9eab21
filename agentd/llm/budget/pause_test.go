package budget_test

import (
	"testing"
	"time"

	"gatehouse/agentd/llm/budget"
)

// least is the shortest answer that is worth asking for.
var least = budget.Ceiling{Output: 100}

// TestPause: an agent is paused by the budget that nothing fits into any more, until that begins anew or is raised.
func TestPause(t *testing.T) {
	t.Parallel()
	now, b := start, &book{}
	b.add(start, "a", "m", 950)
	b.add(start, "b", "gold", 50)
	l := budget.New(b, func() time.Time { return now })
	paused := func(limits budget.Limits, agent, model string) budget.Which {
		t.Helper()
		must(t, l.Set(t.Context(), limits))
		no, err := l.Pause(t.Context(), agent, model, least)
		must(t, err)
		if no == nil {
			return ""
		}
		if !no.Until.After(now) {
			t.Errorf("%s is paused until %s", agent, no.Until)
		}
		return no.Budget
	}
	for name, c := range map[string]struct {
		limits       budget.Limits
		agent, model string
		want         budget.Which
	}{
		"nothing set":               {budget.Limits{}, "a", "m", ""},
		"an empty pool":             {budget.Limits{Pool: pool(1050)}, "b", "m", budget.OfPool},
		"a pool with enough":        {budget.Limits{Pool: pool(1100)}, "b", "m", ""},
		"on beyond the pool":        {budget.Limits{Pool: pool(1000), Beyond: true}, "b", "m", ""},
		"premium beside a pool":     {premium(budget.Limits{Pool: pool(1000)}), "b", "gold", ""},
		"the day is used up":        {budget.Limits{Day: 1000}, "c", "m", budget.OfTeam},
		"premium is in the day":     {premium(budget.Limits{Day: 1000}), "b", "gold", budget.OfTeam},
		"the agent's day":           {budget.Limits{Agents: map[string]int64{"a": 1000}}, "a", "m", budget.OfAgent},
		"another agent's day":       {budget.Limits{Agents: map[string]int64{"a": 1000}}, "b", "m", ""},
		"an invoice is no budget":   {budget.Limits{Paused: "payment"}, "a", "m", ""},
		"unsigned premium likewise": {budget.Limits{Premium: []string{"gold"}}, "a", "gold", ""},
	} {
		if got := paused(c.limits, c.agent, c.model); got != c.want {
			t.Errorf("%s: paused by %q, want %q", name, got, c.want)
		}
	}
	if paused(budget.Limits{Day: 1000}, "a", "m") == "" || paused(budget.Limits{Day: 2000}, "a", "m") != "" {
		t.Error("a raised budget does not let the agent work on")
	}
	must(t, l.Set(t.Context(), budget.Limits{Day: 1000}))
	now = start.Add(24 * time.Hour)
	if no, err := l.Pause(t.Context(), "a", "m", least); no != nil || err != nil {
		t.Errorf("on the next day: %+v, %v", no, err)
	}
}

func premium(l budget.Limits) budget.Limits {
	l.Premium, l.Signed = []string{"gold"}, map[string]string{"b": "gold"}
	return l
}

// TestPause_refused: who asks for more than is left is paused though a shorter call would fit; who had to give way to others is not.
func TestPause_refused(t *testing.T) {
	t.Parallel()
	b := &book{}
	l := budget.New(b, func() time.Time { return start })
	must(t, l.Set(t.Context(), budget.Limits{Day: 1000}))
	isPaused := func(agent string) bool {
		t.Helper()
		no, err := l.Pause(t.Context(), agent, "m", least)
		must(t, err)
		return no != nil
	}
	h, _ := reserve(t, l, "a", "m", budget.Ceiling{Output: 800})
	if _, no := reserve(t, l, "b", "m", budget.Ceiling{Output: 500}); no == nil || isPaused("b") {
		t.Errorf("beside another call: refused %v, paused %v", no != nil, isPaused("b"))
	}
	b.add(start, "a", "m", 300)
	h.Settle(budget.Use{Output: 300})
	if _, no := reserve(t, l, "b", "m", budget.Ceiling{Input: 300, Output: 600}); no == nil || !isPaused("b") || isPaused("a") {
		t.Errorf("more than is left: refused %v, b paused %v, a paused %v", no != nil, isPaused("b"), isPaused("a"))
	}
	if h, no := reserve(t, l, "b", "m", budget.Ceiling{Input: 10}); no != nil || !isPaused("b") {
		t.Error("a call that only reads ended the pause")
	} else {
		h.Settle(budget.Use{})
	}
	if h, no := reserve(t, l, "b", "m", budget.Ceiling{Output: 400}); no != nil || isPaused("b") {
		t.Error("a call that went left the agent paused")
	} else {
		h.Settle(budget.Use{})
	}
}
