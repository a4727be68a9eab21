package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"gatehouse/cmd/bench/bare"
)

// bareProgram is a control as a process of its own, as the hub and agentd are.
type bareProgram struct {
	cmd  *exec.Cmd
	addr string
}

// startBare runs this program as a control and waits for its address.
func startBare(ctx context.Context, kind string, env ...string) (*bareProgram, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &bareProgram{cmd: exec.CommandContext(ctx, self)}
	b.cmd.Env = append(os.Environ(), append(env, bare.Kind+"="+kind)...)
	b.cmd.Stderr = os.Stderr
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("control %s never said where it is: %w", kind, err)
	}
	b.addr = strings.TrimSpace(line)
	return b, nil
}

// Close kills the control: it keeps nothing.
func (b *bareProgram) Close() {
	_ = b.cmd.Process.Kill() // it may have ended
	_ = b.cmd.Wait()         // it was killed
}
