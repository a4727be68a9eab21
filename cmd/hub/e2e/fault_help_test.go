package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatehouse/cmd/hub/devmail"
)

// parallelHub is startHub for a test that runs beside another one.
func parallelHub(t *testing.T, env ...string) (*hub, *client) {
	t.Helper()
	t.Parallel()
	slot(t)
	h := startHub(t, env...)
	return h, h.api(t)
}

// server is a path below the folder of the demo's server.
func (h *hub) server(names ...string) string {
	return filepath.Join(append([]string{h.Dir, "servers", h.Demo.ServerID}, names...)...)
}

// data is a path below the data folder of the demo's server.
func (h *hub) data(names ...string) string {
	return h.server(append([]string{"data"}, names...)...)
}

// agentd is the process of the demo's server, as the local provider wrote it down.
func (h *hub) agentd(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile(h.server("machine.json"))
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

// postgres is the main process of the hub's database.
func (h *hub) postgres(t *testing.T) int {
	t.Helper()
	for _, pid := range h.pids(t, "/postgres -D") {
		return pid
	}
	t.Fatal("no main process of Postgres")
	return 0
}

func killNow(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

func running(pid int) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return rest != "" && rest[0] != 'Z'
}

// killAgentd ends agentd at once and waits until the provider has started it again.
func (h *hub) killAgentd(t *testing.T) {
	t.Helper()
	old := h.agentd(t)
	killNow(t, old)
	h.awaitNewAgentd(t, old)
}

func (h *hub) awaitNewAgentd(t *testing.T, old int) {
	t.Helper()
	until(t, "agentd is started again", func() bool { now := h.agentd(t); return now != old && running(now) })
}

// temps are the temporary files that the demo has to delete.
func (h *hub) temps(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(h.data("tmp", "*.tmp"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// lines are those of a file; none when it does not exist.
func lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(b)))
}

// mails are what the catcher has got for an address.
func (h *hub) mails(t *testing.T, to string) (found []devmail.Mail) {
	t.Helper()
	store, err := devmail.OpenStore(filepath.Join(h.Dir, "mail"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := store.IDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if m, err := store.Get(id); err == nil && m.To == to {
			found = append(found, m)
		}
	}
	return found
}
