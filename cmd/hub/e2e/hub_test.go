package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gatehouse/cmd/hub/dev"
)

const (
	startLimit = 90 * time.Second
	waitLimit  = 30 * time.Second
)

// bin holds the shipped programs, built once for the whole test run by TestMain.
var bin string

func build(dir string) error {
	for _, name := range []string{"hub", "agentd"} {
		cmd := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, name), "./cmd/"+name)
		cmd.Dir, cmd.Env = "../../..", append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w: %s", name, err, out)
		}
	}
	return nil
}

// hub is a running `hub dev` with data of its own.
type hub struct {
	dir  string // GATEHOUSE_DIR
	addr string
	env  []string
	demo dev.Demo
	cmd  *exec.Cmd
	out  *tail
	done chan struct{}
}

// startHub starts `hub dev` in an empty folder with extra environment and waits until it says that it is ready.
// At the end of the test everything it started is stopped, and a process left behind fails the test.
func startHub(t *testing.T, env ...string) *hub {
	t.Helper()
	root, err := os.MkdirTemp("", "gatehouse-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o755); err != nil { // agentd and Postgres run as somebody else when we are root
		t.Fatal(err)
	}
	h := &hub{dir: filepath.Join(root, "var"), addr: freeAddr(t), env: env}
	t.Cleanup(func() {
		h.stop(t)
		h.wantNoProcess(t)
		if t.Failed() {
			t.Logf("hub's last lines:\n%s", h.out.String())
		}
		_ = os.RemoveAll(root)
	})
	h.start(t)
	return h
}

func (h *hub) start(t *testing.T) {
	t.Helper()
	h.out = &tail{}
	h.cmd = exec.Command(filepath.Join(bin, "hub"), "dev")
	h.cmd.Dir = filepath.Dir(h.dir)
	h.cmd.Env = append(cleanEnv(), append([]string{"GATEHOUSE_DIR=" + h.dir, "HUB_ADDR=" + h.addr, "AGENTD_BIN=" + filepath.Join(bin, "agentd")}, h.env...)...)
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pr, pw := io.Pipe()
	h.cmd.Stdout, h.cmd.Stderr = io.MultiWriter(h.out, pw), h.out
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	h.done = done
	go func() {
		_ = h.cmd.Wait()
		_ = pw.Close()
		close(done)
	}()
	h.awaitReady(t, pr)
	var err error
	if h.demo, err = dev.ReadDemo(h.dir); err != nil {
		t.Fatal(err)
	}
}

func (h *hub) awaitReady(t *testing.T, lines io.Reader) {
	t.Helper()
	ready := make(chan bool, 1)
	go func() {
		sc := bufio.NewScanner(lines)
		for sc.Scan() {
			if strings.Contains(sc.Text(), "Gatehouse is ready at") {
				ready <- true
			}
		}
		ready <- false
		_, _ = io.Copy(io.Discard, lines)
	}()
	select {
	case ok := <-ready:
		if !ok {
			t.Fatalf("hub dev ended before it was ready:\n%s", h.out.String())
		}
	case <-time.After(startLimit):
		t.Fatalf("hub dev was not ready within %s:\n%s", startLimit, h.out.String())
	}
}

// stop ends the hub as Ctrl-C does and waits until it has ended.
func (h *hub) stop(t *testing.T) {
	t.Helper()
	h.signal(t, syscall.SIGINT)
}

// kill ends the hub process alone, at once, as a crash does.
func (h *hub) kill(t *testing.T) {
	t.Helper()
	h.signal(t, syscall.SIGKILL)
}

func (h *hub) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if h.cmd == nil || h.cmd.Process == nil {
		return
	}
	_ = h.cmd.Process.Signal(sig)
	select {
	case <-h.done:
	case <-time.After(startLimit):
		t.Errorf("hub dev did not end within %s of %s", startLimit, sig)
		_ = h.cmd.Process.Kill()
	}
}

// wantNoProcess fails when a process that works on this hub's data still runs.
func (h *hub) wantNoProcess(t *testing.T) {
	t.Helper()
	for pid, cmdline := range processes(t) {
		if strings.Contains(cmdline, h.dir) {
			t.Errorf("process %d is left behind: %s", pid, cmdline)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// pids lists the processes whose command line names this hub's data and contains part.
func (h *hub) pids(t *testing.T, part string) []int {
	t.Helper()
	var found []int
	for pid, cmdline := range processes(t) {
		if strings.Contains(cmdline, h.dir) && strings.Contains(cmdline, part) {
			found = append(found, pid)
		}
	}
	return found
}

func (h *hub) url(path string) string { return h.demo.HubURL + path }

// cleanEnv is our environment without what would change the demo.
func cleanEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "MODEL_"), strings.HasPrefix(name, "HUB_"), strings.HasPrefix(name, "AGENTD_"), name == "DATABASE_URL", name == "GATEHOUSE_DIR", name == "NATS_URL":
		default:
			env = append(env, kv)
		}
	}
	return env
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func processes(t *testing.T) map[int]string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	all := map[int]string{}
	for _, d := range dirs {
		var pid int
		b, err := os.ReadFile(d)
		if _, scanErr := fmt.Sscanf(d, "/proc/%d/cmdline", &pid); err != nil || scanErr != nil || len(b) == 0 {
			continue // it ended meanwhile
		}
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		all[pid] = string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})) + " " + dirOf(env)
	}
	return all
}

// dirOf finds the state folder in the environment of an agentd, whose command line does not name it.
func dirOf(env []byte) string {
	for _, kv := range bytes.Split(env, []byte{0}) {
		if v, ok := bytes.CutPrefix(kv, []byte("AGENTD_STATE=")); ok {
			return string(v)
		}
	}
	return ""
}

// until asks every 20 ms until cond holds; what says what was waited for.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-ctx.Done():
			t.Fatalf("not within %s: %s", waitLimit, what)
		case <-tick.C:
		}
	}
}

// tail keeps the last 64 KB that were written.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b = append(w.b, p...)
	w.b = w.b[max(0, len(w.b)-64<<10):]
	return len(p), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.b)
}
