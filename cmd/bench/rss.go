package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// rss is the memory that a process holds, program text included, in megabytes of a million bytes.
func rss(pid int) (float64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if v, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(v), " kB"), 64)
			return kb * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("process %d has no memory", pid)
}

// peak watches a process every 20 ms while work runs and says the most that it held.
func peak(ctx context.Context, pid int, work func(context.Context) error) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var most float64
	for {
		now, err := rss(pid)
		if err != nil {
			cancel()
			return 0, errors.Join(err, <-done)
		}
		most = max(most, now)
		select {
		case err := <-done:
			return most, err
		case <-tick.C:
		}
	}
}

// agentdPID is the process of the demo's server.
func (s *Stage) agentdPID() (int, error) {
	raw, err := os.ReadFile(filepath.Join(s.hub.Dir, "servers", s.hub.Demo.ServerID, "state", "agentd.pid"))
	if err != nil {
		return 0, err
	}
	var p struct {
		PID int `json:"pid"`
	}
	err = json.Unmarshal(raw, &p)
	return p.PID, err
}
