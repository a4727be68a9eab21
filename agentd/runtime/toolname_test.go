package runtime_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/leakscan"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// TestToolName_holdsSecret: a model that obeys an attacker writes a secret where the name of a tool stands. It is refused as
// any other, and the name goes nowhere as it was written: not into a table, a receipt or an event, and not to a model again.
func TestToolName_holdsSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all []llm.Call
	for i, c := range planted() {
		all = append(all,
			llm.Call{ID: fmt.Sprintf("n%d", i), Name: c.Value, Args: "{}"},
			llm.Call{ID: fmt.Sprintf("p%d", i), Name: "send_" + c.Value + strings.Repeat("_away", 20), Args: "{}"},
			llm.Call{ID: fmt.Sprintf("s%d", i), Name: strings.Repeat(string(rune('a'+i)), 61) + " " + c.Value, Args: "{}"})
	}
	var mu sync.Mutex
	var again strings.Builder // what the model is shown of its own calls
	s := startIn(t, dir, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if newest(o).Role != llm.ToolReply {
			return calls(all...)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, m := range o.Messages() {
			again.WriteString(m.Text + "\n")
			for _, c := range m.Calls {
				again.WriteString(c.Name + "\n")
			}
		}
		return say("There was no such tool at all, as I was told.", text)
	}}})
	m, e := s.ask(t, "it-admin", "Go")
	if e.Event != wire.EventFinal {
		t.Fatalf("%s", e.Data)
	}
	run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
	for _, c := range run.Calls {
		if c.State != wire.ToolDenied || len(c.Tool) > 64 || !strings.Contains(c.Tool, "[SECRET:planted.") && !strings.HasSuffix(c.Tool, "…") {
			t.Errorf("%s: %q", c.State, c.Tool)
		}
	}
	if len(run.Calls) != len(all) {
		t.Errorf("%d calls of %d", len(run.Calls), len(all))
	}
	s.wantSealed(t, dir, again.String())
}

// wantSealed looks for the planted secrets in what the model was shown, in all events and in all tables.
func (s *server) wantSealed(t *testing.T, dir, shown string) {
	t.Helper()
	scan := leakscan.New(planted()...)
	leaks := scan.Bytes("the model", []byte(shown))
	for _, e := range s.watch.events() {
		leaks = append(leaks, scan.Bytes("event "+string(e.Event), e.Data)...)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "state", store.File)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was only read
	kept, err := scan.SQLite(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range append(leaks, kept...) {
		t.Error(l)
	}
}
