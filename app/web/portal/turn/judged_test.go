package turn_test

import (
	"encoding/json"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/turn"
	"gatehouse/views/ui"
)

// TestReceipts_judged: the guardian's verdict reads the same in the record as on the card.
func TestReceipts_judged(t *testing.T) {
	t.Parallel()
	names := func(agent string) ui.Agent { return ui.Agent{Name: agent} }
	for body, want := range map[string]string{
		`{"verdict":"allow","reason":"a plain step"}`: "Found nothing wrong: a plain step",
		`{"verdict":"escalate","reason":"odd"}`:       "Has doubts: odd",
		`{"verdict":"block","reason":"an order"}`:     "Advises against it: an order",
		`{"verdict":"escalate","failed":true}`:        "Did not answer in time. That counts as a doubt.",
	} {
		got := turn.Receipts(t.Context(), []wire.Receipt{{Type: "call.judged", Body: json.RawMessage(body)}}, names)
		if len(got) != 1 || got[0].Says != want {
			t.Errorf("%s: %+v, want %q", body, got, want)
		}
	}
}
