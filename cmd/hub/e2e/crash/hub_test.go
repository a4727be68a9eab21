package crash

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/cmd/hub/e2e"
)

// long is an answer that goes on long enough for something to happen meanwhile: 3 s on an idle machine.
var long = e2e.Step{Pieces: 600, Pause: 5 * time.Millisecond}

// TestHubKilled kills the hub in the middle of an answer, with a question that waits for a person: Postgres and agentd
// run on, the next hub adopts them by their pids, the stream goes on where it was, the first press decides, and Ctrl-C
// ends everything.
func TestHubKilled(t *testing.T) {
	h, c := e2e.Start(t, append(e2e.StartModel(t).Env(), e2e.OwnPostgres)...)
	question := c.Asked(c.Say("it-admin", e2e.ToolScript(t, "Gone.", e2e.Tool("file_delete", map[string]any{"path": "tmp/*.tmp"}))))
	run, s := c.Say("secretary", e2e.Script(t, long)), &e2e.Story{}
	c.Follow(run, s, func() bool { return len(s.Text) > 200 })
	postgres, agentd, server := h.Postgres(t), h.Agentd(t), h.Demo.ServerID

	h.Kill(t)
	if !e2e.Running(postgres) || !e2e.Running(agentd) {
		t.Fatal("Postgres or agentd went down with the hub")
	}
	h.Start(t)
	if h.Postgres(t) != postgres || h.Agentd(t) != agentd || h.Demo.ServerID != server {
		t.Error("the new hub started its own Postgres or agentd, or another server")
	}
	c.Follow(run, s, s.Ended)
	if want := e2e.Words(long.Pieces); s.Final == nil || strings.TrimSpace(s.Final.Text) != strings.TrimSpace(want) || s.Text != want {
		t.Errorf("the answer is not what the model wrote: %v\n%s", s.Tail(), s.Text)
	}
	if again := c.End(run); again.Text != s.Text || len(again.Events) > len(s.Events)+1 {
		t.Errorf("read again the run has %d events and %d characters; with the break it had %d and %d",
			len(again.Events), len(again.Text), len(s.Events), len(s.Text))
	}
	c.WantUnchanged(question)
	wantFulfilled(c)

	before := len(h.Temps(t))
	c.Allow(question.ID)
	if end := c.End(question.RootRunID); end.Final == nil || before == 0 || len(h.Temps(t)) != 0 {
		t.Errorf("after the allow %d of %d files are left: %v", len(h.Temps(t)), before, end.Tail())
	}
	if all := c.Receipts(question.RootRunID); e2e.Count(all, "call.started", "file_delete") != 1 {
		t.Errorf("file_delete was started %d times", e2e.Count(all, "call.started", "file_delete"))
	}
	h.Stop(t)
	h.WantNoProcess(t)
}

// wantFulfilled fails unless staff see the demo's order done and nothing beside it.
func wantFulfilled(c *e2e.Client) {
	c.T.Helper()
	req, err := http.NewRequestWithContext(c.T.Context(), http.MethodGet, c.Hub.URL("/api/v1/admin/orders"), nil)
	if err != nil {
		c.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Hub.Demo.Staff.APIToken)
	var list struct {
		Items []struct {
			State string `json:"state"`
		} `json:"items"`
	}
	a, err := e2e.Send(req)
	if err != nil {
		c.T.Fatal(err)
	}
	c.WantDescribed(req, a)
	a.Into(c.T, &list)
	if len(list.Items) != 1 || list.Items[0].State != "FULFILLED" {
		c.T.Errorf("orders: %+v", list.Items)
	}
}
