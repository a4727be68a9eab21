package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"os/exec"
	"syscall"
	"time"

	"github.com/caarlos0/env/v11"

	"gatehouse/agentd/wipe"
)

// wipeSettings are the variables that agentd wipe reads. Only root can change where they stand.
type wipeSettings struct {
	ServerID string `env:"AGENTD_WIPE_SERVER" help:"wipe: which server this machine is"`
	Key      string `env:"AGENTD_WIPE_KEY" help:"wipe: the hub's public key, with which it signs commands"`
	Level    string `env:"LOG_LEVEL" envDefault:"info"`
}

// wipeMachine is "agentd wipe".
func wipeMachine(ctx context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	var s wipeSettings
	if err := env.Parse(&s); err != nil {
		return fmt.Errorf("%w: settings:\n%w", errUsage, err)
	}
	key, err := base64.RawURLEncoding.DecodeString(s.Key)
	if err != nil || len(key) != ed25519.PublicKeySize || s.ServerID == "" {
		return fmt.Errorf("%w: AGENTD_WIPE_SERVER and AGENTD_WIPE_KEY, an Ed25519 key, are needed", errUsage)
	}
	h := &wipe.Helper{
		Root: "/", ServerID: s.ServerID, Key: key, Now: time.Now, Log: logger(c.errOut, s.Level), Run: runProgram,
		Kill: func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) },
	}
	return h.Do(ctx)
}

// runProgram runs a program of the machine. Its words go with the error alone.
func runProgram(ctx context.Context, program string, args ...string) (string, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w: %.400s", program, err, said.String())
	}
	return out.String(), nil
}
