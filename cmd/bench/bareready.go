package main

import (
	"context"
	"errors"
	"os"
	"time"

	"gatehouse/cmd/bench/bare"
)

func bareReadyControl() *Control {
	return &Control{
		How:  "from the start of this program until it has opened agentd's store, on disk, and says so; p50 of starts",
		Take: takeBareReady,
	}
}

// takeBareReady starts a process as often as the figure does, which opens a store that was made before.
func takeBareReady(ctx context.Context, s *Stage) (run Run, err error) {
	dir, err := os.MkdirTemp(s.dir, "bare-")
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var took []time.Duration
	for i := range 1 + s.readyStarts() {
		from := time.Now()
		b, err := startBare(ctx, bare.Store, bare.Dir+"="+dir)
		if err != nil {
			return Run{}, err
		}
		if i > 0 { // the first start makes the tables
			took = append(took, time.Since(from))
		}
		b.Close()
	}
	return Run{Value: percentile(took, 50), N: len(took)}, nil
}
