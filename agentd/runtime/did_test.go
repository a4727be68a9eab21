package runtime_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

// TestRunsList_did: a run says what it changed, its own and, for the root, that of all it handed on; looking is nothing that
// was done, and neither is what failed.
func TestRunsList_did(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case newest(o).Role == llm.ToolReply:
			return say("ok", text)
		case isDispatcher(o):
			return calls(hand("h", "it-admin", "do it"))
		}
		all := []llm.Call{doit("look", "green", "looking", ""), doit("no", "yellow", "in vain", "fails")}
		for i := range 7 {
			all = append(all, doit(fmt.Sprint("c", i), "yellow", fmt.Sprint("thing ", i), ""))
		}
		return calls(all...)
	}}})
	m, _ := s.ask(t, "dispatcher", "do seven things")
	want := []string{"Did thing 0", "Did thing 1", "Did thing 2", "Did thing 3", "Did thing 4"}
	root := call[wire.RunsResult](t, s, wire.MethodRunsList, wire.ListParams{}).Items[0]
	handed := call[wire.RunsResult](t, s, wire.MethodRunsList, wire.ListParams{Agent: "it-admin"}).Items[0]
	one := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
	for what, r := range map[string]wire.RunInfo{"root": root, "handed on": handed, "alone": one.RunInfo} {
		if !slices.Equal(r.Did, want) || r.DidMore != 2 {
			t.Errorf("%s: %q and %d more", what, r.Did, r.DidMore)
		}
	}
}
