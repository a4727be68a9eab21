package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
	"gatehouse/cmd/kept"
)

// doomed is a hub whose agentd can be made to die at any of its fail points.
type doomed struct {
	*e2e.Hub
	c   *e2e.Client
	dir string // of the points to die at and the trace of those that were hit; agentd writes there too
}

// start is the agentd that the hub runs: it waits while it is held.
const start = `#!/bin/sh
while [ -e '%s' ]; do sleep 0.02; done
REHEARSAL_PAUSE=1ms FAILPOINT_FILE='%s' FAILPOINT_TRACE='%s' exec '%s' "$@"
`

// startDoomed builds agentd with its fail points beside the shipped programs, and starts a hub that runs it.
func startDoomed(t *testing.T) *doomed {
	t.Helper()
	e2e.Turn(t)
	program, err := kept.Program(e2e.Root, e2e.Programs(t), "agentd", "failpoint")
	if err != nil {
		t.Fatal(err)
	}
	w := &doomed{dir: openDir(t)}
	path, script := filepath.Join(w.dir, "agentd"), fmt.Sprintf(start, w.hold(), w.points(), w.trace(), program)
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	w.Hub, w.c = e2e.StartNow(t, "AGENTD_BIN="+path)
	return w
}

// openDir is a temporary folder that agentd can write to as well, which is another user when we are root.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gatehouse-sweep-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o777); err != nil { // whatever the umask says
		t.Fatal(err)
	}
	return dir
}

func (w *doomed) points() string { return filepath.Join(w.dir, "points") }

func (w *doomed) trace() string { return filepath.Join(w.dir, "trace") }

func (w *doomed) hold() string { return filepath.Join(w.dir, "hold") }

// holds keeps agentd from coming back after its death, until letsGo.
func (w *doomed) holds(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(w.hold(), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w *doomed) letsGo(t *testing.T) {
	t.Helper()
	if err := os.Remove(w.hold()); err != nil {
		t.Error(err)
	}
}

// dooms lets agentd die at a point, counted from now, and what comes after it at the next one.
func (w *doomed) dooms(t *testing.T, points ...string) {
	t.Helper()
	next := w.points() + ".new"
	if err := os.WriteFile(next, []byte(strings.Join(points, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, w.points()); err != nil {
		t.Fatal(err)
	}
}

// dead says whether agentd has died at that point: it takes it off the list before.
func (w *doomed) dead(t *testing.T, point string) bool {
	t.Helper()
	all := e2e.Lines(t, w.points())
	return len(all) == 0 || strings.TrimSpace(all[0]) != point
}

// hit lists the hits behind the first n of the trace, as name:k, and how long the trace is by now.
func (w *doomed) hit(t *testing.T, n int) (points []string, all int) {
	t.Helper()
	trace := e2e.Lines(t, w.trace())
	hits := map[string]int{}
	for _, name := range trace[n:] {
		name = strings.TrimSpace(name)
		hits[name]++
		points = append(points, fmt.Sprintf("%s:%d", name, hits[name]))
	}
	return points, len(trace)
}

// trash puts files there that the demo's agents delete as old temporary ones.
func (w *doomed) trash(t *testing.T, n int) (names []string) {
	t.Helper()
	for i := range n {
		names = append(names, w.Data("tmp", fmt.Sprintf("trash%d.tmp", i)))
	}
	w.write(t, names, trash)
	return names
}

func (w *doomed) write(t *testing.T, names []string, text string) {
	t.Helper()
	for _, name := range names {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// stillThere are those of the files that are there with that text.
func stillThere(t *testing.T, names []string, text string) (found []string) {
	t.Helper()
	for _, name := range names {
		switch b, err := os.ReadFile(name); {
		case err == nil && string(b) == text:
			found = append(found, name)
		case err != nil && !os.IsNotExist(err):
			t.Fatal(err)
		}
	}
	return found
}
