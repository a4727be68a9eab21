package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gatehouse/cmd/hub/rig"
)

// Agentd is the process of the demo's server, as the local provider wrote it down.
func (h *Hub) Agentd(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile(h.Server("machine.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Process struct {
			PID int `json:"pid"`
		} `json:"process"`
	}
	if err := json.Unmarshal(b, &r); err != nil || r.Process.PID == 0 {
		t.Fatalf("machine.json: %v\n%s", err, b)
	}
	return r.Process.PID
}

// Postgres is the main process of the hub's database.
func (h *Hub) Postgres(t *testing.T) int {
	t.Helper()
	for _, pid := range h.PIDs(t, "/postgres -D") {
		return pid
	}
	t.Fatal("no main process of Postgres")
	return 0
}

// Kill ends a process at once.
func Kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

// Running reports whether a process runs.
func Running(pid int) bool {
	state := stateIn(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return state != 0 && state != 'Z'
}

// stateIn is the state that a stat file of /proc gives; 0 when there is none.
func stateIn(stat string) byte {
	b, err := os.ReadFile(stat)
	_, rest, _ := strings.Cut(string(b), ") ")
	if err != nil || rest == "" {
		return 0
	}
	return rest[0]
}

// KillAgentd ends agentd at once and waits until the provider has started it again.
func (h *Hub) KillAgentd(t *testing.T) {
	t.Helper()
	old := h.Agentd(t)
	Kill(t, old)
	h.AwaitNewAgentd(t, old)
}

// AwaitNewAgentd waits until another process than old is the server's.
func (h *Hub) AwaitNewAgentd(t *testing.T, old int) {
	t.Helper()
	Until(t, "agentd is started again", func() bool { now := h.Agentd(t); return now != old && Running(now) })
}

// Signal sends a signal to a process. It waits until one that is to stop has stopped: on a busy machine its threads answer for
// some time after the signal.
func Signal(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
	if sig == syscall.SIGSTOP {
		Until(t, "every thread has stopped", func() bool {
			threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "stat"))
			running := func(stat string) bool { return stateIn(stat) != 'T' }
			return err == nil && len(threads) > 0 && !slices.ContainsFunc(threads, running)
		})
	}
}

// Workers are the running programs whose working folder is below the server's data: those that tools started.
func (h *Hub) Workers(t *testing.T) (found []string) {
	t.Helper()
	procs, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range procs {
		cwd, err := os.Readlink("/proc/" + p.Name() + "/cwd")
		if err == nil && strings.HasPrefix(cwd, h.Data()) {
			found = append(found, p.Name())
		}
	}
	return found
}

// FreeAddress is one that nothing listens on, and that nobody else is given while the test runs.
func FreeAddress(t *testing.T) string {
	t.Helper()
	p, err := rig.HoldPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Release(); err != nil {
			t.Error(err)
		}
	})
	return p.Addr
}

// AgentdVia is an agentd that reaches its hub at another address than it is told.
func AgentdVia(t *testing.T, url string) string {
	t.Helper()
	path := filepath.Join(programs.dir, "agentd-"+t.Name()) // what it runs is built when a hub starts
	text := fmt.Sprintf("#!/bin/sh\nAGENTD_HUB=%s exec %s \"$@\"\n", url, filepath.Join(programs.dir, "agentd"))
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
