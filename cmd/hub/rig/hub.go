package rig

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gatehouse/cmd/hub/dev"
)

// StartLimit is how long a hub may take until it is ready, or until it has ended, on a machine that others keep busy.
const StartLimit = 3 * time.Minute

// Hub is `hub dev` with data of its own.
type Hub struct {
	Dir  string // GATEHOUSE_DIR
	Addr string
	Demo dev.Demo // how to sign in, once it is ready

	bin  string
	env  []string
	port *Port
	cmd  *exec.Cmd
	out  *tail
	done chan struct{}
}

// New prepares a hub that runs the programs in bin, with extra environment. Nothing is started yet.
func New(bin string, env ...string) (*Hub, error) { return NewIn("", bin, env...) }

// NewIn is New with the data below parent: what is measured depends on the disk. Empty means the usual place for
// temporary files.
func NewIn(parent, bin string, env ...string) (*Hub, error) {
	root, err := os.MkdirTemp(parent, "gatehouse-rig-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(root, 0o755); err != nil { // Postgres and agentd run as somebody else when we are root
		return nil, err
	}
	port, err := HoldPort()
	if err != nil {
		return nil, err
	}
	return &Hub{Dir: filepath.Join(root, "var"), Addr: port.Addr, bin: bin, env: env, port: port, out: &tail{}}, nil
}

// Start runs the hub until it says that it is ready.
func (h *Hub) Start() error {
	h.out = &tail{}
	h.cmd = exec.Command(filepath.Join(h.bin, "hub"), "dev") //nolint:noctx // it is ended by Stop or Kill
	h.cmd.Dir = filepath.Dir(h.Dir)
	h.cmd.Env = append(cleanEnv(), append([]string{"GATEHOUSE_DIR=" + h.Dir, "HUB_ADDR=" + h.Addr, "AGENTD_BIN=" + filepath.Join(h.bin, "agentd")}, h.env...)...)
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT} // a killed test or bench leaves no hub
	lines, w := io.Pipe()
	h.cmd.Stdout, h.cmd.Stderr = io.MultiWriter(h.out, w), h.out
	if err := h.cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	h.done = done
	go func() {
		_ = h.cmd.Wait() // how it ended is in its output
		_ = w.Close()
		close(done)
	}()
	if err := h.awaitReady(lines); err != nil {
		return err
	}
	var err error
	h.Demo, err = dev.ReadDemo(h.Dir)
	return err
}

func (h *Hub) awaitReady(lines io.Reader) error {
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
			return fmt.Errorf("hub dev ended before it was ready:\n%s", h.out)
		}
		return nil
	case <-time.After(StartLimit):
		return fmt.Errorf("hub dev was not ready within %s:\n%s", StartLimit, h.out)
	}
}

// Stop ends the hub as Ctrl-C does, with all it started.
func (h *Hub) Stop() error { return h.signal(syscall.SIGINT) }

// Kill ends the hub process alone, at once, as a crash does: Postgres and agentd run on.
func (h *Hub) Kill() error { return h.signal(syscall.SIGKILL) }

func (h *Hub) signal(sig syscall.Signal) error {
	if h.cmd == nil || h.cmd.Process == nil {
		return nil
	}
	_ = h.cmd.Process.Signal(sig) // it may have ended
	select {
	case <-h.done:
		return nil
	case <-time.After(StartLimit):
		return errors.Join(fmt.Errorf("hub dev did not end within %s of %s", StartLimit, sig), h.cmd.Process.Kill())
	}
}

// PID is the process of the running hub.
func (h *Hub) PID() int { return h.cmd.Process.Pid }

// Remove deletes the data and gives the port back.
func (h *Hub) Remove() error { return errors.Join(h.port.Release(), os.RemoveAll(filepath.Dir(h.Dir))) }

// Output is the last that the hub wrote to its terminal.
func (h *Hub) Output() string { return h.out.String() }

// URL is an address of the hub.
func (h *Hub) URL(path string) string { return h.Demo.HubURL + path }

// PIDs lists the running processes of this hub whose command line contains part: all with "".
func (h *Hub) PIDs(part string) ([]int, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var found []int
	for pid, line := range all {
		if strings.Contains(line, h.Dir) && strings.Contains(line, part) {
			found = append(found, pid)
		}
	}
	return found, nil
}

// Until asks every 10 ms until cond holds or ctx ends.
func Until(ctx context.Context, cond func() bool) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}
