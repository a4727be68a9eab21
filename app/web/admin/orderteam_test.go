package admin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/order"
)

// tells is a link of a server that says which agents it has.
type tells struct {
	mute
	team []wire.AgentInfo
}

func (l tells) Ask(raw []byte, reply func([]byte)) {
	var ask wire.RPCRequest
	if json.Unmarshal(raw, &ask) != nil || ask.Method != wire.MethodAgentsList {
		return
	}
	result, _ := json.Marshal(wire.AgentsResult{Items: l.team})
	answer, _ := json.Marshal(wire.RPCReply{ID: ask.ID, Result: result})
	reply(answer)
}

// TestOrder_agents: the page of an order shows the agents of its server as the server says, and nothing of what they are told. Before
// there is a server that works, and while it does not answer, the page says so.
func TestOrder_agents(t *testing.T) {
	t.Parallel()
	h := start(t)
	bare := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	srv := h.beaten(t, "baker", false)
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE orders SET server_id = $1 WHERE id = $2", srv.ID, srv.OrderID)
	must(t, err)
	shows := func(what, path string, want ...string) {
		t.Helper()
		got := h.doc(t, h.staff, path).Find("#agents").Text()
		if !containsAll(got, want...) || strings.Contains(got, "told in private") {
			t.Errorf("%s: %q", what, got)
		}
	}
	shows("no server", pathOf(bare), "The agents come with the server")
	path := "/admin/orders/" + srv.OrderID
	shows("nobody answers", path, "The server does not answer")
	detach, err := h.live.Attach(t.Context(), string(srv.ID), 1, tells{team: []wire.AgentInfo{
		{ID: "dispatcher", Name: "Dispatcher", Level: 2, Calls7d: 12, Description: "told in private"},
		{ID: "it-admin", Name: "IT admin", Level: 1, Off: true},
		{ID: "writer", Name: "Writer", Level: 3, Paused: &wire.AgentPause{}},
		{ID: "lost", Name: "Lost", Broken: "told in private"},
	}})
	must(t, err)
	shows("four agents", path, "Dispatcher", "autonomy level 2", "12 calls in 7 days", "IT admin", "Off", "Paused", "Cannot work")
	detach()
	detach, err = h.live.Attach(t.Context(), string(srv.ID), 2, tells{})
	must(t, err)
	defer detach()
	shows("none", path, "it has no agents")
}
