package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// daemon is an agentd of its own beside the demo's: the shipped program on a server that is registered at the hub.
type daemon struct {
	bin string
	env []string

	cmd   *exec.Cmd
	lines chan string     // messages of its log
	seen  map[string]bool // messages that await has read since start
}

// newDaemon makes a server and its folders. Nothing is started yet.
func (s *Stage) newDaemon(ctx context.Context) (*daemon, error) {
	o, err := s.customer(ctx)
	if err != nil {
		return nil, err
	}
	id, token, err := s.server(ctx, o)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(s.dir, "agentd-"+string(id))
	for _, name := range []string{"state", "data"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(dir, "state", "register.token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		return nil, err
	}
	return &daemon{bin: filepath.Join(s.bench.bin, "agentd"), env: []string{
		"PATH=/usr/bin:/bin", "AGENTD_STATE=" + filepath.Join(dir, "state"), "AGENTD_DATA=" + filepath.Join(dir, "data"),
		"AGENTD_HUB=http://" + s.hub.Addr, "AGENTD_TOKEN_FILE=" + file, "AGENTD_DEMO=1",
		"MODEL_BASE_URL=" + s.bench.model.URL(), "MODEL_NAME=instant",
	}}, nil
}

// start runs it and says how long it took until its log said so.
func (d *daemon) start(ctx context.Context, until string) (time.Duration, error) {
	d.cmd = exec.Command(d.bin, "run") //nolint:noctx // it is ended by stop
	d.cmd.Env = d.env
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // a killed bench leaves no agentd
	stderr, err := d.cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := d.cmd.Start(); err != nil {
		return 0, err
	}
	d.lines, d.seen = make(chan string, 256), map[string]bool{}
	go func() {
		defer close(d.lines)
		for sc := bufio.NewScanner(stderr); sc.Scan(); {
			var l struct {
				Msg string `json:"msg"`
			}
			if json.Unmarshal(sc.Bytes(), &l) == nil {
				d.lines <- l.Msg
			}
		}
	}()
	err = d.await(ctx, until)
	return time.Since(begin), err
}

// await reads the log until it has said msg since the start. The link may come up before agentd says that it is ready,
// so a message that an earlier await read past counts.
func (d *daemon) await(ctx context.Context, msg string) error {
	limit := time.After(answerLimit)
	for !d.seen[msg] {
		select {
		case line, open := <-d.lines:
			if !open {
				return fmt.Errorf("agentd ended before it said %q", msg)
			}
			d.seen[line] = true
		case <-ctx.Done():
			return ctx.Err()
		case <-limit:
			return fmt.Errorf("agentd never said %q", msg)
		}
	}
	return nil
}

// stop ends it as a service manager does.
func (d *daemon) stop() error {
	if d.cmd == nil {
		return nil
	}
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	for range d.lines { // to its end, or Wait would cut the log off
	}
	return d.cmd.Wait()
}
