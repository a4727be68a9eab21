package main

import (
	"context"
	"time"
)

func chatAck() Figure {
	return Figure{
		Name: "chat_ack_p50_ms", Unit: "ms", Goal: 3, Fsync: true, Take: takeChatAck,
		How: "POST chat until its 202, which comes after agentd has the message durably; one after the other, each answer heard out in between",
	}
}

func takeChatAck(ctx context.Context, s *Stage) (Run, error) {
	t, err := s.talker(ctx)
	if err != nil {
		return Run{}, err
	}
	defer t.Close()
	n := s.count(150, 10)
	var took []time.Duration
	for i := range n + n/10 {
		t.session = "" // a new conversation: its history must not grow into the figure
		start := time.Now()
		run, err := t.post("it-admin", "Hello")
		if err != nil {
			return Run{}, err
		}
		if i >= n/10 {
			took = append(took, time.Since(start))
		}
		if err := t.listen(run, nil); err != nil {
			return Run{}, err
		}
	}
	return Run{Value: percentile(took, 50), N: len(took)}, nil
}
