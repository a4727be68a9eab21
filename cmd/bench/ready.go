package main

import (
	"context"
	"errors"
	"time"
)

// What agentd logs.
const (
	saysReady  = "agentd is ready"
	saysLinked = "link is up"
)

func agentdReady() Figure {
	return Figure{
		Name: "agentd_ready_ms", Unit: "ms", Goal: 100, Take: takeReady,
		How:     "from the start of the process until it logs that it is ready, state directory on disk, registered before; p50 of starts",
		Control: bareReadyControl(),
	}
}

// readyStarts is how often it is started.
func (s *Stage) readyStarts() int { return s.count(15, 3) }

func takeReady(ctx context.Context, s *Stage) (run Run, err error) {
	d, err := s.newDaemon(ctx)
	if err != nil {
		return Run{}, err
	}
	if _, err := d.start(ctx, saysLinked); err != nil { // the first start makes keys, tables and files
		return Run{}, errors.Join(err, d.stop())
	}
	var took []time.Duration
	for range s.readyStarts() {
		if err := d.stop(); err != nil {
			return Run{}, err
		}
		t, err := d.start(ctx, saysReady)
		if err != nil {
			return Run{}, errors.Join(err, d.stop())
		}
		took = append(took, t)
		if err := d.await(ctx, saysLinked); err != nil {
			return Run{}, errors.Join(err, d.stop())
		}
	}
	return Run{Value: percentile(took, 50), N: len(took)}, d.stop()
}
