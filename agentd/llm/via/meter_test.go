package via_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/guardian"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/memory/meaning"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// TestWay_meter: what a sub-agent asks stands under it and the agent for which it works, is told again of its day and of no other, and
// counts in the budget that pauses an agent.
func TestWay_meter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.up()
	w.way.Learn([]redact.Known{})
	r := llm.Request{Agent: "helper", Parent: "secretary", Run: testRun, Messages: []llm.Message{{Role: llm.User, Text: "Hello"}}}
	for {
		_, err := llm.Ask(t.Context(), w.p, r, none)
		if err == nil {
			break
		}
		if !llm.Again(t.Context(), w.p, err) {
			t.Fatal(err)
		}
	}
	w.ofRun(testRun, 1)
	rows, err := w.way.Changed(t.Context(), 0, wire.MaxUsageRows)
	if err != nil || len(rows) != 1 || rows[0].Agent != "helper" || rows[0].Parent != "secretary" || rows[0].Key != wire.KeyHouse {
		t.Fatalf("%+v, %v", rows, err)
	}
	day := rows[0].Hour.Truncate(24 * time.Hour)
	again, err := w.way.OfDay(t.Context(), day, 0, wire.MaxUsageRows)
	if err != nil || len(again) != 1 || again[0] != rows[0] {
		t.Errorf("of its day: %+v, %v", again, err)
	}
	if other, err := w.way.OfDay(t.Context(), day.AddDate(0, 0, -1), 0, wire.MaxUsageRows); err != nil || len(other) != 0 {
		t.Errorf("of the day before: %+v, %v", other, err)
	}
	w.way.Limit(budget.Limits{Agents: map[string]int64{"helper": 1000}})
	paused, err := w.way.Paused(t.Context(), map[string]string{"helper": "large", "secretary": "large"})
	if err != nil || len(paused) != 1 || paused[0].Agent != "helper" || paused[0].Budget != wire.BudgetAgent {
		t.Errorf("paused: %+v, %v", paused, err)
	}
}

// TestWay_meterOfOthers: what the guardian and the search by meaning ask with the operator's key stands under names of their own and
// draws on the pool. Once it is empty they are refused like any agent.
func TestWay_meterOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.up()
	w.way.Learn([]redact.Known{})
	for { // until the proxy is there
		_, err := llm.Embed(t.Context(), w.p, meaning.Agent, []string{"The key of the cellar hangs behind the door."})
		if err == nil {
			break
		}
		if !llm.Again(t.Context(), w.p, err) {
			t.Fatal(err)
		}
	}
	second := guardian.New(w.p, true)
	second.Judge(t.Context(), gate.Matter{Run: testRun, Tool: "shell", Agent: "it-admin"}) // whatever it says of "Good day."
	rows, err := w.way.Changed(t.Context(), 0, wire.MaxUsageRows)
	if err != nil {
		t.Fatal(err)
	}
	for _, agent := range []string{meaning.Agent, "guardian"} {
		i := slices.IndexFunc(rows, func(r wire.UsageRow) bool { return r.Agent == agent })
		if i < 0 || rows[i].Key != wire.KeyHouse || rows[i].Requests != 1 || rows[i].Input == 0 {
			t.Errorf("%s: %+v", agent, rows)
		}
	}
	now := time.Now()
	w.way.Limit(budget.Limits{Pool: &budget.Pool{From: now.AddDate(0, 0, -3), To: now.AddDate(0, 1, -3), Tokens: 1}})
	paused, err := w.way.Paused(t.Context(), map[string]string{"secretary": "large"})
	if err != nil || len(paused) != 1 || paused[0].Budget != wire.BudgetPool {
		t.Errorf("the pool that both have used up: %+v, %v", paused, err)
	}
	if _, err := llm.Embed(t.Context(), w.p, meaning.Agent, []string{"One more note."}); err == nil {
		t.Error("vectors are made beyond the pool")
	}
	if j := second.Judge(t.Context(), gate.Matter{Run: testRun, Tool: "shell", Agent: "it-admin"}); !j.Failed {
		t.Errorf("the guardian is asked beyond the pool: %+v", j)
	}
}
