package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const relayHow = "256-byte body sent round browser, hub, agentd and back: POST echo with an API token, one after the other on one connection"

func relayP50() Figure {
	return Figure{Name: "relay_roundtrip_p50_ms", Unit: "ms", Goal: 0.5, How: relayHow + "; p50", Take: relay(50), Control: bareRelayControl(50)}
}

func relayP99() Figure {
	return Figure{Name: "relay_roundtrip_p99_ms", Unit: "ms", Goal: 5, How: relayHow + "; p99", Take: relay(99)}
}

// relay measures the way there and back.
func relay(p float64) func(context.Context, *Stage) (Run, error) {
	return func(ctx context.Context, s *Stage) (Run, error) {
		c, err := s.program(ctx)
		if err != nil {
			return Run{}, err
		}
		defer c.Close()
		return s.roundTrips(c, p)
	}
}

// roundTrips sends a body round, again and again on one connection. The first tenth warms up.
func (s *Stage) roundTrips(c *conn, p float64) (Run, error) {
	body := []byte(`"` + strings.Repeat("x", 254) + `"`)
	n := s.count(1500, 100)
	var took []time.Duration
	for i := range n + n/10 {
		start := time.Now()
		back, err := c.do(http.MethodPost, echoPath, body, http.StatusOK)
		if err != nil {
			return Run{}, err
		}
		if string(back) != string(body) {
			return Run{}, fmt.Errorf("%q came back", back)
		}
		if i >= n/10 {
			took = append(took, time.Since(start))
		}
	}
	return Run{Value: percentile(took, p), N: len(took)}, nil
}
