package e2e

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
)

// TestPostgresKilled kills the main process of Postgres while clients write: pages say in words at once that it does
// not work now, the hub brings it back by itself, and nothing that was acknowledged is lost or happens twice.
func TestPostgresKilled(t *testing.T) {
	h, c := parallelHub(t, ownPostgres)
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	var questions []wire.Approval
	for i := range 4 {
		questions = append(questions, c.asked(c.say("secretary", fmt.Sprintf("Email guest%d@example.com that we open at nine", i))))
	}
	old := h.postgres(t)
	stop := make(chan struct{})
	acked := c.keepWriting(stop)
	p.keepLoading()
	killNow(t, old)
	killed := time.Now()
	decided := c.decideAll(questions)
	until(t, "Postgres is back by itself", func() bool {
		a, err := c.try(t.Context(), http.MethodGet, "/approvals?status=pending", nil)
		return err == nil && a.status == http.StatusOK && len(h.pids(t, "/postgres -D")) > 0 && h.postgres(t) != old
	})
	t.Logf("the hub worked again after %s", time.Since(killed))
	p.wantPlainly503()
	close(stop)
	for _, run := range <-acked {
		if s := c.end(run); s.final == nil {
			t.Errorf("run %s, which was acknowledged, ended with %+v", run, s.err)
		}
	}
	for i, q := range questions {
		if !decided[i] {
			c.allow(q.ID) // the press that failed left nothing half done
		}
		c.end(q.RootRunID)
		if n := len(h.mails(t, fmt.Sprintf("guest%d@example.com", i))); n != 1 {
			t.Errorf("mail %d was sent %d times", i, n)
		}
	}
}

// keepWriting posts messages until stop, and then gives the runs of those that were acknowledged.
func (c *client) keepWriting(stop <-chan struct{}) <-chan []string {
	acked := make(chan []string, 1)
	go func() {
		var runs []string
		for i := 0; ; i++ {
			select {
			case <-stop:
				acked <- runs
				return
			case <-c.t.Context().Done():
				return
			case <-time.After(50 * time.Millisecond): // the pace of a busy person
			}
			a, err := c.try(c.t.Context(), http.MethodPost, "/chat", map[string]string{"agent": "secretary", "text": fmt.Sprintf("What can you do? %d", i)})
			var sent struct {
				RunID string `json:"run_id"`
			}
			if err == nil && a.status == http.StatusAccepted && json.Unmarshal(a.body, &sent) == nil {
				runs = append(runs, sent.RunID)
			}
		}
	}()
	return acked
}

// decideAll presses allow on every question at once, and says which presses were acknowledged. Others must have failed
// in words.
func (c *client) decideAll(questions []wire.Approval) []bool {
	c.t.Helper()
	done := make([]bool, len(questions))
	var all sync.WaitGroup
	for i, q := range questions {
		yes := c.signed(q, map[string]any{"decision": wire.AllowOnce})
		all.Go(func() {
			ctx, cancel := context.WithTimeout(c.t.Context(), waitLimit)
			defer cancel()
			a, err := c.try(ctx, http.MethodPost, "/approvals/"+q.ID, yes)
			switch {
			case err != nil:
				c.t.Errorf("a press got no answer: %v", err)
			case a.status == http.StatusOK:
				done[i] = true
			case a.status != http.StatusServiceUnavailable || !strings.Contains(string(a.body), `"detail":"`):
				c.t.Errorf("a press got %d %s", a.status, a.body)
			}
		})
	}
	all.Wait()
	return done
}

// keepLoading loads a page again and again from now on, as somebody does who waits for it. It keeps the quickest answer that
// says that this does not work now.
func (p *page) keepLoading() {
	p.t.Helper()
	eval[bool](p, `window.plain = null, (async () => {
		for (;; window.loads = (window.loads ?? 0) + 1) {
			const at = performance.now(), r = await fetch("/app/approvals"), Text = await r.text(), MS = performance.now() - at;
			if (r.status === 503 && !(window.plain?.MS <= MS)) window.plain = {Text, MS};
			await new Promise(done => setTimeout(done, 20));
		}
	})(), true`)
	p.until("the first load", "window.loads > 0")
}

// wantPlainly503 fails unless a page that was loaded in the gap said in words that this does not work now.
func (p *page) wantPlainly503() {
	p.t.Helper()
	p.until("a page that was answered with 503", "window.plain")
	g := eval[struct {
		Text string
		MS   float64
	}](p, "window.plain")
	p.t.Logf("the page took %.0f ms", g.MS)
	if g.MS > 2000 && os.Getenv("GATEHOUSE_SOAK") != "" { // which has the machine to itself
		p.t.Error("it is to take 2 s at most")
	}
	if !strings.Contains(g.Text, "<h1") || !strings.Contains(strings.ToLower(g.Text), "again") {
		p.t.Errorf("the page says\n%s", g.Text)
	}
}
