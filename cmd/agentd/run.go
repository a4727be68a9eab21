package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/link"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/sandbox"
	"gatehouse/agentd/store"
)

// runDaemon is "agentd run".
func runDaemon(ctx context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	s, cfg, err := load()
	if err != nil {
		return err
	}
	if err := sandbox.Harden(); err != nil {
		return fmt.Errorf("hide this process's memory: %w", err)
	}
	forgetKeys()
	log := logger(c.errOut, s.Level)
	d, err := agentd.New(ctx, cfg, agentd.Deps{Now: time.Now, Log: log})
	if err != nil {
		log.Error("agentd cannot start", "error", err, "needs_person", agentd.Hard(err))
		return err
	}
	err = d.Run(ctx)
	if errors.Is(err, agentd.ErrRestart) && ctx.Err() == nil {
		log.Info("agentd starts again in its own place")
		err = again()
	}
	if err != nil {
		log.Error("agentd cannot go on", "error", err, "needs_person", agentd.Hard(err))
		return err
	}
	return nil
}

// again puts a new agentd into the place of this process, with the same number, arguments and environment: whoever watches
// the process sees none end. Everything that this one had open was closed, or is by the kernel.
func again() error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start again: %w", err)
	}
	// The file may have been replaced by a newer one of the same name.
	self = strings.TrimSuffix(self, " (deleted)")
	return fmt.Errorf("start again: %w", syscall.Exec(self, os.Args, os.Environ()))
}

// forgetKeys takes whatever looks like a key out of the environment, so that no child can inherit it. The model's
// key is a file.
func forgetKeys() {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "_SECRET") || strings.HasSuffix(name, "_PASSWORD") {
			_ = os.Unsetenv(name) // fails for no name that the environment holds
		}
	}
}

// register is "agentd register": what run does first, alone.
func register(ctx context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	s, cfg, err := load()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.State, 0o700); err != nil {
		return fmt.Errorf("make state directory: %w", err)
	}
	if err := store.CheckModes(cfg.State); err != nil {
		return err
	}
	id, err := link.Register(ctx, link.Registration{Hub: cfg.Hub, StateDir: cfg.State, TokenFile: cfg.TokenFile, Version: cfg.Version, Log: logger(c.errOut, s.Level)})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "registered at %s as server %s\n", id.Hub, id.ServerID)
	return err
}

// logger writes JSON lines; each passes the one way out for logs.
func logger(out io.Writer, name string) *slog.Logger {
	l, _ := level(name) // load has checked it
	return slog.New(slog.NewJSONHandler(redacted{out}, &slog.HandlerOptions{Level: l}))
}

type redacted struct{ out io.Writer }

func (r redacted) Write(line []byte) (int, error) {
	if _, err := r.out.Write(redact.Bytes(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

var errLevel = errors.New("LOG_LEVEL must be debug, info, warn or error")

func level(name string) (l slog.Level, err error) {
	if l.UnmarshalText([]byte(name)) != nil {
		return l, errLevel
	}
	return l, nil
}
