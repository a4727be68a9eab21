package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// long is an answer that goes on long enough for something to happen meanwhile: 3 s on an idle machine.
var long = step{Pieces: 600, Pause: 5 * time.Millisecond}

// TestHubKilled kills the hub in the middle of an answer, with a question that waits for a person: Postgres and agentd
// run on, the next hub adopts them by their pids, the stream goes on where it was, the first press decides, and Ctrl-C
// ends everything.
func TestHubKilled(t *testing.T) {
	h, c := parallelHub(t, append(startModel(t).env(), ownPostgres)...)
	question := c.asked(c.say("it-admin", script(t, call(tool("file_delete", map[string]any{"path": "tmp/*.tmp"})), step{Say: "Gone."})))
	run, s := c.say("secretary", script(t, long)), &story{}
	c.follow(run, s, func() bool { return len(s.text) > 200 })
	postgres, agentd, server := h.postgres(t), h.agentd(t), h.Demo.ServerID

	h.kill(t)
	if !running(postgres) || !running(agentd) {
		t.Fatal("Postgres or agentd went down with the hub")
	}
	h.start(t)
	if h.postgres(t) != postgres || h.agentd(t) != agentd || h.Demo.ServerID != server {
		t.Error("the new hub started its own Postgres or agentd, or another server")
	}
	c.follow(run, s, s.ended)
	if want := words(long.Pieces); s.final == nil || strings.TrimSpace(s.final.Text) != strings.TrimSpace(want) || s.text != want {
		t.Errorf("the answer is not what the model wrote: %v\n%s", s.tail(), s.text)
	}
	if again := c.end(run); again.text != s.text || len(again.events) > len(s.events)+1 {
		t.Errorf("read anew the run has %d events and %d characters; with the break it had %d and %d", len(again.events), len(again.text), len(s.events), len(s.text))
	}
	c.wantUnchanged(question)
	c.wantFulfilled()

	before := len(h.temps(t))
	c.allow(question.ID)
	if end := c.end(question.RootRunID); end.final == nil || before == 0 || len(h.temps(t)) != 0 {
		t.Errorf("after the allow %d of %d files are left: %v", len(h.temps(t)), before, end.tail())
	}
	if all := c.receipts(question.RootRunID); count(all, "call.started", "file_delete") != 1 {
		t.Errorf("file_delete was started %d times", count(all, "call.started", "file_delete"))
	}
	h.stop(t)
	h.wantNoProcess(t)
}

// wantUnchanged fails unless a question still waits, word for word.
func (c *client) wantUnchanged(q wire.Approval) {
	c.t.Helper()
	now := c.approval(q.ID)
	if now.State != wire.ApprovalPending || now.Digest != q.Digest || string(now.Args) != string(q.Args) || now.Summary != q.Summary {
		c.t.Errorf("the question is %+v, it was %+v", now, q)
	}
}

// wantFulfilled fails unless staff see the demo's order done and nothing beside it.
func (c *client) wantFulfilled() {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.hub.URL("/api/v1/admin/orders"), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.hub.Demo.Staff.APIToken)
	var list struct {
		Items []struct {
			State string `json:"state"`
		} `json:"items"`
	}
	a, err := send(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.wantDescribed(req, a)
	a.into(c.t, &list)
	if len(list.Items) != 1 || list.Items[0].State != "FULFILLED" {
		c.t.Errorf("orders: %+v", list.Items)
	}
}
