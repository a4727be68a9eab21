package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/kept"
)

// binary builds agentd once for all tests of this package, as it is shipped.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "agentd-test-")
	if err != nil {
		return "", err
	}
	return kept.Program("../..", dir, "agentd")
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path)) // what stays lies in the temporary folder
	}
	os.Exit(code)
}

// server is one agentd process and its two folders.
type server struct {
	t          *testing.T
	hub        *hub
	dir        string
	cmd        *exec.Cmd
	log        *logBuffer
	state      string
	data       string
	extra      []string
	program    string              // instead of the one that is shipped
	under      []string            // the command that starts it, with its arguments; nil: none
	user       *syscall.Credential // as whom it runs; nil: as the test
	beganAt    time.Time
	waitResult chan error
}

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts a new server of a hub, registered by token and with the key that its owner ordered with, and waits for its link.
func start(t *testing.T, h *hub, env ...string) *server {
	t.Helper()
	return startUnder(t, h, nil, env...)
}

// startUnder is start by another command.
func startUnder(t *testing.T, h *hub, under []string, env ...string) *server {
	t.Helper()
	s := prepare(t, h, under, env...)
	h.owner = newSigner(t)
	leave(t, s.state, h.owner)
	s.run()
	h.linked()
	return s
}

// startWith starts a server after its folders were changed. It has no key unless change leaves one.
func startWith(t *testing.T, h *hub, change func(*server)) *server {
	t.Helper()
	s := prepare(t, h, nil)
	change(s)
	s.run()
	h.linked()
	return s
}

// prepare makes a server that has not started. It ends with the test.
func prepare(t *testing.T, h *hub, under []string, env ...string) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{t: t, hub: h, dir: dir, state: filepath.Join(dir, "state"), data: filepath.Join(dir, "data"), extra: env, under: under}
	if err := os.MkdirAll(s.state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.token(), []byte("gth_once\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd == nil {
			return
		}
		if s.alive() && t.Failed() {
			s.signal(syscall.SIGQUIT) // it says where each goroutine stands
			s.end()
		}
		if s.alive() {
			s.kill()
		}
		if t.Failed() {
			t.Logf("agentd said:\n%s", s.log)
		}
	})
	return s
}

func (s *server) token() string { return filepath.Join(s.state, "token") }

func (s *server) run() {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	s.log = &logBuffer{}
	if s.program != "" {
		path = s.program
	}
	whole := slices.Concat(s.under, []string{path, "run"})
	s.cmd = exec.Command(whole[0], whole[1:]...)
	s.cmd.Env = append([]string{
		"PATH=/usr/bin:/bin", "AGENTD_STATE=" + s.state, "AGENTD_DATA=" + s.data, "AGENTD_HUB=" + s.hub.srv.URL, "AGENTD_TOKEN_FILE=" + s.token(),
		"AGENTD_DEMO=1", "REHEARSAL_PAUSE=1ms",
	}, s.extra...)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.user}
	s.beganAt = time.Now()
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.waitResult = make(chan error, 1)
	go func(cmd *exec.Cmd, to chan<- error) { to <- cmd.Wait() }(s.cmd, s.waitResult)
}

func (s *server) alive() bool { return s.cmd.ProcessState == nil && len(s.waitResult) == 0 }

// end waits for the process and gives its exit code; -1 for a signal.
func (s *server) end() int {
	s.t.Helper()
	select {
	case err := <-s.waitResult:
		s.t.Logf("agentd ended: %v", err)
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(time.Minute):
		s.t.Fatalf("agentd does not end:\n%s", s.log)
		return 0
	}
}

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) kill() {
	s.t.Helper()
	s.signal(syscall.SIGKILL)
	s.end()
}

// back starts the process again and waits for its link.
func (s *server) back() {
	s.t.Helper()
	s.hub.until("the old link to end", func([]wire.Frame) bool { return s.hub.conn == nil })
	s.run()
	s.hub.linked()
}

func (s *server) pid() agentd.PID {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.state, agentd.PIDFile))
	if err != nil {
		s.t.Fatal(err)
	}
	var p agentd.PID
	if err := json.Unmarshal(b, &p); err != nil {
		s.t.Fatal(err)
	}
	return p
}

// rss is the resident memory in MB.
func (s *server) rss() int {
	s.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return kb / 1024
}

// tool runs another command of the binary.
func (s *server) tool(args ...string) (string, int) {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(s.t.Context(), path, args...)
	out, _ := cmd.CombinedOutput() // the exit code says it
	return string(out), cmd.ProcessState.ExitCode()
}
