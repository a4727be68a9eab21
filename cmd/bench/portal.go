package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

func portalP95() Figure {
	return Figure{
		Name: "portal_page_p95_ms", Unit: "ms", Goal: 10, Take: takePages,
		How: "home, approvals open and decided, activity, agents, conversations, a run, chat and server page in turn, signed in by cookie, 1,000 approvals (40 wait) and 10,000 receipts in store; request sent until the whole page is read; p95 of all",
	}
}

func takePages(ctx context.Context, s *Stage) (Run, error) {
	run, err := s.fill(ctx)
	if err != nil {
		return Run{}, err
	}
	c, err := s.browser(ctx)
	if err != nil {
		return Run{}, err
	}
	defer c.Close()
	paths := []string{
		"/app", "/app/approvals", "/app/approvals/history", "/app/activity", "/app/agents", "/app/conversations", "/app/runs/" + run,
		"/app/chat", "/app/server",
	}
	n := s.count(40, 3)
	took := map[string][]time.Duration{}
	var all []time.Duration
	for i := range n + 2 {
		for _, path := range paths {
			start := time.Now()
			if _, err := c.do(http.MethodGet, path, nil, http.StatusOK); err != nil {
				return Run{}, err
			}
			if i >= 2 { // the first two warm up
				took[path], all = append(took[path], time.Since(start)), append(all, time.Since(start))
			}
		}
	}
	return Run{Value: percentile(all, 95), N: len(all), Note: slowest(paths, took)}, nil
}

// slowest names the page that takes longest.
func slowest(paths []string, took map[string][]time.Duration) string {
	name, most := "", 0.0
	for _, p := range paths {
		if v := percentile(took[p], 95); v > most {
			name, most = p, v
		}
	}
	if len(name) > len("/app/runs/") && name[:len("/app/runs/")] == "/app/runs/" {
		name = "/app/runs/{id}"
	}
	return fmt.Sprintf("slowest %s with p95 %s ms", name, number(most))
}
