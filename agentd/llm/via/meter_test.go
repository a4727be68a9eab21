package via_test

import (
	"testing"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/budget"
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
