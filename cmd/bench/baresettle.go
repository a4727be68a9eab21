package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// slateBytes is about what the proxy writes of a call to its slate, each time.
const slateBytes = 128

func bareSettleControl() *Control {
	return &Control{
		How: "as many at once that write as much to one file by turns, before and after the same waits, and settle nothing: what the " +
			"processors and the kernel cost; in this process",
		Take: takeBareSettles,
	}
}

func takeBareSettles(_ context.Context, s *Stage) (run Run, err error) {
	f, err := os.CreateTemp(s.dir, "bare-")
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	write := func(place int) (time.Duration, error) {
		at := time.Now()
		_, err := f.WriteAt(make([]byte, slateBytes), int64(place*slateBytes))
		return time.Since(at), err
	}
	each := s.count(20_000, 200) / settlers
	var all sync.WaitGroup
	for place := range settlers {
		all.Go(func() {
			for range each {
				before, err := write(place)
				time.Sleep(thinksLeast + rand.N(thinksMost-thinksLeast)) //nolint:gosec // the model thinks
				after, err2 := write(place)
				mu.Lock()
				took, failed = append(took, before+after), errors.Join(failed, err, err2)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	const us = 1000 // of a millisecond
	return Run{Value: percentile(took, 99) * us, N: len(took)}, failed
}
