package main

import (
	"context"
	"errors"
	"time"
)

// settled is how long an agentd rests before its memory is read.
const settled = 5 * time.Second

func agentdIdle() Figure {
	return Figure{
		Name: "agentd_idle_rss_mb", Unit: "MB", Goal: 40, Take: takeIdle,
		How: "resident memory (VmRSS, program text included) of a fresh agentd 5 s after its link came up",
	}
}

func takeIdle(ctx context.Context, s *Stage) (Run, error) {
	d, err := s.newDaemon(ctx)
	if err != nil {
		return Run{}, err
	}
	if _, err := d.start(ctx, saysLinked); err != nil {
		return Run{}, errors.Join(err, d.stop())
	}
	rest := time.NewTimer(settled)
	defer rest.Stop()
	select {
	case <-ctx.Done():
		return Run{}, errors.Join(ctx.Err(), d.stop())
	case <-rest.C:
	}
	now, err := rss(d.cmd.Process.Pid)
	return Run{Value: now, N: 1}, errors.Join(err, d.stop())
}
