package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gatehouse/agentd/llm/profile"
)

// proxyText is how large the conversation is that goes through the proxy, in bytes.
const proxyText = 100 << 10

func proxyTTFT() Figure {
	return Figure{
		Name: "proxy_ttft_added_ms", Unit: "ms", Goal: 3, Take: takeProxyTTFT,
		How: "the next turn of a 100 KB conversation until the first piece of the answer, through the shipped llm-proxy with 200 secrets to look for, less the same without it; p50",
	}
}

func takeProxyTTFT(ctx context.Context, s *Stage) (run Run, err error) {
	base := s.bench.model.URL()
	w, err := openWay(ctx, s, profile.Set{Profiles: []profile.Profile{{Name: "one", Protocol: profile.OpenAI, BaseURL: base, Models: []string{"instant"}, NoKey: true}}})
	if err != nil {
		return Run{}, err
	}
	defer func() { err = firstOf(err, w.Close()) }()
	n := s.count(200, 10)
	var through, direct []time.Duration
	plain := &http.Client{Transport: &http.Transport{}}
	for i := range n + n/10 {
		body := conversation("instant", proxyText, i)
		a, err := first(ctx, w.client, "http://localhost/v1/chat/completions", body)
		if err != nil {
			return Run{}, err
		}
		b, err := first(ctx, plain, base+"/chat/completions", body)
		if err != nil {
			return Run{}, err
		}
		if i >= n/10 {
			through, direct = append(through, a), append(direct, b)
		}
	}
	return Run{
		Value: percentile(through, 50) - percentile(direct, 50), N: n,
		Note: fmt.Sprintf("through %.2f ms (p99 %.2f), without %.2f ms", percentile(through, 50), percentile(through, 99), percentile(direct, 50)),
	}, nil
}
