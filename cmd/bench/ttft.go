package main

import (
	"context"
	"errors"
	"time"

	"gatehouse/agentd/wire"
)

func ttft() Figure {
	return Figure{
		Name: "turn_ttft_added_ms", Unit: "ms", Goal: 10, Fsync: true, Take: takeTTFT,
		How: "POST chat until the first delta is read from the run's event stream, over a model that answers at once; p50",
	}
}

func takeTTFT(ctx context.Context, s *Stage) (Run, error) {
	t, err := s.talker(ctx)
	if err != nil {
		return Run{}, err
	}
	defer t.Close()
	n := s.count(150, 10)
	var took []time.Duration
	for i := range n + n/10 {
		t.session = ""
		start := time.Now()
		var first time.Duration
		_, err := t.turn("it-admin", "Hello", func(event string, _ []byte) {
			if first == 0 && wire.Event(event) == wire.EventDelta {
				first = time.Since(start)
			}
		})
		if err != nil {
			return Run{}, err
		}
		if first == 0 {
			return Run{}, errors.New("an answer came without a delta")
		}
		if i >= n/10 {
			took = append(took, first)
		}
	}
	return Run{Value: percentile(took, 50), N: len(took)}, nil
}
