package via

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"syscall"
	"time"
)

// Child keeps a proxy running as a child of agentd, where nobody else does. It has the same user then: the kernel does
// not keep them apart, and doctor says so.
type Child struct {
	Command []string
	Env     []string
	Output  io.Writer
	Log     *slog.Logger
}

// Pauses between two starts. A proxy that ran a while was not at fault at its start.
const (
	firstPause = 100 * time.Millisecond
	longPause  = 5 * time.Second
	settled    = time.Minute
	endTime    = 6 * time.Second
)

// Run starts the proxy whenever there is none, until ctx ends.
func (c *Child) Run(ctx context.Context) {
	wait := firstPause
	for ctx.Err() == nil {
		since := time.Now()
		err := c.once(ctx)
		if ctx.Err() != nil {
			return
		}
		c.Log.WarnContext(ctx, "the model proxy ended and is started again", "error", err)
		if time.Since(since) > settled {
			wait = firstPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, longPause)
	}
}

// once runs the proxy to its end. Its standard input is a pipe that ends with agentd, however agentd ends, and so does
// the proxy.
func (c *Child) once(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, c.Command[0], c.Command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = c.Env, c.Output, c.Output
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endTime
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C on a terminal is agentd's to answer, in its order
	tie, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start the model proxy: %w", err)
	}
	defer func() { _ = tie.Close() }() // Wait has closed it
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the model proxy: %w", err)
	}
	return cmd.Wait()
}
