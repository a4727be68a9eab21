package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	"gatehouse/agentd/llm/profile"
)

func failoverAdded() Figure {
	return Figure{
		Name: "failover_added_ms", Unit: "ms", Goal: 50, Take: takeFailover,
		How: "first piece of the answer through the shipped llm-proxy when the first profile fails (401, 429, 500, refused connection), less the same when it works; p50 of the slowest kind",
	}
}

// failing are the endpoints that fail, by how.
func failing() (map[string]string, func(), error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	kinds := map[string]string{"refused": "http://" + l.Addr().String()}
	if err := l.Close(); err != nil {
		return nil, nil, err
	}
	var servers []*httptest.Server
	for _, status := range []int{http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusInternalServerError} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"no"}}`, status)
		}))
		servers = append(servers, srv)
		kinds[fmt.Sprint(status)] = srv.URL
	}
	return kinds, func() {
		for _, srv := range servers {
			srv.Close()
		}
	}, nil
}

// failoverSet has a profile of its own for every sample, so that none rests from the one before.
func failoverSet(kinds map[string]string, n int, good string) profile.Set {
	var set profile.Set
	last := profile.Profile{Name: "good", Protocol: profile.OpenAI, BaseURL: good, Models: []string{"good"}, NoKey: true}
	for kind, base := range kinds {
		for i := range n {
			model := fmt.Sprintf("%s-%d", kind, i)
			set.Profiles = append(set.Profiles, profile.Profile{Name: model, Protocol: profile.OpenAI, BaseURL: base, Models: []string{model}, NoKey: true})
			last.Models = append(last.Models, model)
		}
	}
	set.Profiles = append(set.Profiles, last)
	return set
}

func takeFailover(ctx context.Context, s *Stage) (run Run, err error) {
	kinds, stop, err := failing()
	if err != nil {
		return Run{}, err
	}
	defer stop()
	n := s.count(50, 5)
	w, err := openWay(ctx, s, failoverSet(kinds, n, s.bench.model.URL()))
	if err != nil {
		return Run{}, err
	}
	defer func() { err = firstOf(err, w.Close()) }()
	works, err := sample(ctx, w, n, func(int) string { return "good" })
	if err != nil {
		return Run{}, err
	}
	run.N = n * len(kinds)
	for kind := range kinds {
		took, err := sample(ctx, w, n, func(i int) string { return fmt.Sprintf("%s-%d", kind, i) })
		if err != nil {
			return Run{}, err
		}
		added := percentile(took, 50) - percentile(works, 50)
		run.Value = max(run.Value, added)
		run.Note += fmt.Sprintf("%s %.2f ms (p99 %.2f); ", kind, added, percentile(took, 99)-percentile(works, 50))
	}
	return run, nil
}

// sample asks n models, once each.
func sample(ctx context.Context, w *wayOut, n int, model func(int) string) ([]time.Duration, error) {
	var all []time.Duration
	for i := range n {
		took, err := first(ctx, w.client, "http://localhost/v1/chat/completions", conversation(model(i), 1<<10, 0))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", model(i), err)
		}
		all = append(all, took)
	}
	return all, nil
}
