package local

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

const (
	lookEvery   = 100 * time.Millisecond // a process of another parent announces its end to nobody
	firstPause  = 200 * time.Millisecond
	longPause   = 30 * time.Second
	settledTime = time.Minute // a process that ran so long did not fail at its start
	hardFault   = 78          // agentd's exit code for what a new start cannot mend
)

// watch keeps the processes of a server running until the hub lets go of it or a new start cannot help.
func (h *Host) watch(serverID string) {
	for _, p := range h.parts() {
		h.watchPart(serverID, p)
	}
}

func (h *Host) watchPart(serverID string, p part) {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := p.nameOf(serverID)
	if h.watched[name] || h.ctx.Err() != nil {
		return
	}
	h.watched[name] = true
	h.watches.Go(func() {
		h.keep(serverID, p)
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watched, name) // Install may take it up again
	})
}

func (h *Host) keep(serverID string, p part) {
	pause := firstPause
	for {
		r, err := h.record(serverID)
		if errors.Is(err, fs.ErrNotExist) || r.Retired || r.Off {
			return // nobody wants it any more
		}
		if err != nil {
			h.opt.Log.Error("local server has lost its record", "server_id", serverID, "error", err)
			return
		}
		since := time.Now()
		now := *r.process(p)
		if !gone(h.ctx, now) {
			return // the hub lets go
		}
		if h.exitCode(now) == hardFault {
			h.opt.Log.Error("a process of a local server stays down: a person has to mend what its log says", "server_id", serverID, "part", p.sub)
			return
		}
		if time.Since(since) > settledTime {
			pause = firstPause
		}
		select {
		case <-h.ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, longPause)
		if _, err := h.ensurePart(serverID, p); err != nil && !unwanted(err) {
			h.opt.Log.Error("a process of a local server does not start again", "server_id", serverID, "part", p.sub, "error", err)
		}
	}
}

// unwanted says whether a process is not started because nobody wants it.
func unwanted(err error) bool {
	return errors.Is(err, errRetired) || errors.Is(err, errOff) || errors.Is(err, fs.ErrNotExist)
}

// gone waits until the process is no more; false when ctx ended before.
func gone(ctx context.Context, p process) bool {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for p.alive() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}
