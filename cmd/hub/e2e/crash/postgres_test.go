package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestPostgresKilled kills the main process of Postgres while clients write: pages say in words at once that it does
// not work now, the hub brings it back by itself, and nothing that was acknowledged is lost or happens twice.
func TestPostgresKilled(t *testing.T) {
	h, c := e2e.Start(t, e2e.OwnPostgres)
	p := h.NewPage(t)
	p.SignIn()
	var questions []wire.Approval
	for i := range 4 {
		questions = append(questions, c.Asked(c.Say("secretary", fmt.Sprintf("Email guest%d@example.com that we open at nine", i))))
	}
	old := h.Postgres(t)
	stop := make(chan struct{})
	acked := keepWriting(c, stop)
	keepLoading(p)
	e2e.Kill(t, old)
	killed := time.Now()
	decided := decideAll(c, questions)
	e2e.Until(t, "Postgres is back by itself", func() bool {
		a, err := c.Try(t.Context(), http.MethodGet, "/approvals?status=pending", nil)
		return err == nil && a.Status == http.StatusOK && len(h.PIDs(t, "/postgres -D")) > 0 && h.Postgres(t) != old
	})
	t.Logf("the hub worked again after %s", time.Since(killed))
	wantPlainly503(p)
	close(stop)
	for _, run := range <-acked {
		if s := c.End(run); s.Final == nil {
			t.Errorf("run %s, which was acknowledged, ended with %+v", run, s.Err)
		}
	}
	for i, q := range questions {
		if !decided[i] {
			c.Allow(q.ID) // the press that failed left nothing half done
		}
		c.End(q.RootRunID)
		if n := len(h.Mails(t, fmt.Sprintf("guest%d@example.com", i))); n != 1 {
			t.Errorf("mail %d was sent %d times", i, n)
		}
	}
}

// keepWriting posts messages until stop, and then gives the runs of those that were acknowledged.
func keepWriting(c *e2e.Client, stop <-chan struct{}) <-chan []string {
	acked := make(chan []string, 1)
	go func() {
		var runs []string
		for i := 0; ; i++ {
			select {
			case <-stop:
				acked <- runs
				return
			case <-c.T.Context().Done():
				return
			case <-time.After(50 * time.Millisecond): // the pace of a busy person
			}
			message := map[string]string{"agent": "secretary", "text": fmt.Sprintf("What can you do? %d", i)}
			a, err := c.Try(c.T.Context(), http.MethodPost, "/chat", message)
			var sent struct {
				RunID string `json:"run_id"`
			}
			if err == nil && a.Status == http.StatusAccepted && json.Unmarshal(a.Body, &sent) == nil {
				runs = append(runs, sent.RunID)
			}
		}
	}()
	return acked
}

// decideAll presses allow on every question at once, and says which presses were acknowledged. Others must have failed
// in words.
func decideAll(c *e2e.Client, questions []wire.Approval) []bool {
	c.T.Helper()
	done := make([]bool, len(questions))
	var all sync.WaitGroup
	for i, q := range questions {
		yes := c.Signed(q, map[string]any{"decision": wire.AllowOnce})
		all.Go(func() {
			ctx, cancel := context.WithTimeout(c.T.Context(), e2e.WaitLimit)
			defer cancel()
			a, err := c.Try(ctx, http.MethodPost, "/approvals/"+q.ID, yes)
			switch {
			case err != nil:
				c.T.Errorf("a press got no answer: %v", err)
			case a.Status == http.StatusOK:
				done[i] = true
			case a.Status != http.StatusServiceUnavailable || !strings.Contains(string(a.Body), `"detail":"`):
				c.T.Errorf("a press got %d %s", a.Status, a.Body)
			}
		})
	}
	all.Wait()
	return done
}

// keepLoading loads a page again and again from now on, as somebody does who waits for it. It keeps the quickest answer that
// says that this does not work now.
func keepLoading(p *e2e.Page) {
	p.T.Helper()
	e2e.Eval[bool](p, `window.plain = null, (async () => {
		for (;; window.loads = (window.loads ?? 0) + 1) {
			const at = performance.now(), r = await fetch("/app/approvals"), Text = await r.text(), MS = performance.now() - at;
			if (r.status === 503 && !(window.plain?.MS <= MS)) window.plain = {Text, MS};
			await new Promise(done => setTimeout(done, 20));
		}
	})(), true`)
	p.Until("the first load", "window.loads > 0")
}

// wantPlainly503 fails unless a page that was loaded in the gap said in words that this does not work now.
func wantPlainly503(p *e2e.Page) {
	p.T.Helper()
	p.Until("a page that was answered with 503", "window.plain")
	g := e2e.Eval[struct {
		Text string
		MS   float64
	}](p, "window.plain")
	p.T.Logf("the page took %.0f ms", g.MS)
	if g.MS > 2000 && os.Getenv("GATEHOUSE_SOAK") != "" { // which has the machine to itself
		p.T.Error("it is to take 2 s at most")
	}
	if !strings.Contains(g.Text, "<h1") || !strings.Contains(strings.ToLower(g.Text), "again") {
		p.T.Errorf("the page says\n%s", g.Text)
	}
}
