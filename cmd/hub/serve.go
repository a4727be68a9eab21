package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// serve is hub serve.
func serve(ctx context.Context, c call) error {
	opt := options{pages: true, work: true}
	for _, a := range c.args {
		if a != "--no-work" {
			return fmt.Errorf("unknown argument %q: %w", a, errUsage)
		}
		opt.work = false
	}
	return runHub(ctx, c, opt)
}

// workOnly is hub work.
func workOnly(ctx context.Context, c call) error {
	if len(c.args) > 0 {
		return fmt.Errorf("unknown argument %q: %w", c.args[0], errUsage)
	}
	return runHub(ctx, c, options{work: true})
}

// stopLimit is how long everything together may take to stop.
const stopLimit = 30 * time.Second

// outliveReaders lets this program go on when nobody reads what it prints any more, as when its terminal was closed: a write
// then fails. Commands that only print end by the signal instead, so that "| head" ends them.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// runHub runs a hub until ctx ends or serving does.
func runHub(ctx context.Context, c call, opt options) error {
	outliveReaders()
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	if err := cfg.needs(); err != nil {
		return err
	}
	opt.level = new(slog.LevelVar)
	opt.level.Set(cfg.LogLevel)
	h, err := openHub(ctx, cfg, opt, newLogger(c.err, opt.level))
	if err != nil {
		return err
	}
	if opt.pages {
		warnMissing(ctx, h.log, cfg, h.legal)
	}
	err = h.start(ctx)
	if err == nil {
		h.tell(ctx, c.env, isReady)
	}
	if ctx.Err() != nil {
		err = nil // told to stop before all was up: that is no failure
	}
	if err == nil {
		ended := make(chan error, 1)
		go func() { ended <- h.Wait() }()
		select {
		case <-ctx.Done():
		case err = <-ended:
		}
	}
	h.tell(ctx, c.env, isStopping)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit+cfg.Drain)
	defer cancel()
	return errors.Join(err, h.stop(stop))
}

// tell says to systemd how this hub is.
func (h *hub) tell(ctx context.Context, env map[string]string, state string) {
	if err := tellSystemd(env["NOTIFY_SOCKET"], state); err != nil {
		h.log.WarnContext(ctx, "systemd was not told", "state", state, "error", err)
	}
}

// hostOf is the host of an address, without a port.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "localhost"
	}
	return u.Hostname()
}
