package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"gatehouse/app/provider/vpshost/local"
	"gatehouse/cmd/hub/dev"
	"gatehouse/cmd/hub/devmail"
	"gatehouse/db"
	views "gatehouse/views/devmail"
)

// devCommand is hub dev and what belongs to it.
func devCommand(ctx context.Context, c call) error {
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	if cfg.Dir, _, err = dev.Place(cfg.Dir); err != nil {
		return err
	}
	switch {
	case len(c.args) == 0:
		return runDev(ctx, c, cfg)
	case len(c.args) == 1 && c.args[0] == "code":
		return dev.Code(c.out, cfg.Dir, time.Now())
	case len(c.args) == 3 && c.args[0] == "mail":
		return dev.Write(cfg.Dir, c.args[1], c.args[2], time.Now())
	case len(c.args) == 1 && c.args[0] == "reset":
		return dev.Reset(c.in, c.out, cfg.Dir, time.Now())
	}
	return fmt.Errorf("unknown argument %q: %w", c.args[0], errUsage)
}

// runDev runs everything on this machine until ctx ends.
func runDev(ctx context.Context, c call, cfg config) error {
	outliveReaders()
	if err := cfg.edge().Check(); err != nil {
		return err
	}
	_ = os.Unsetenv("MODEL_API_KEY") // it travels on as a file that only agentd reads
	log, done, err := devLogger(c.err, cfg.Dir, cfg.LogLevel)
	if err != nil {
		return err
	}
	defer done()
	return dev.Run(ctx, dev.Config{
		Dir: cfg.Dir, Addr: cfg.Addr, PublicURL: cfg.PublicURL, DatabaseURL: cfg.DatabaseURL,
		AgentdBin: cfg.AgentdBin, Out: c.out, Log: log, Now: time.Now,
	}, startDev(cfg, c.out, log))
}

// startDev brings up the hub in the surroundings that the run has made.
func startDev(cfg config, out io.Writer, log *slog.Logger) dev.Start {
	return func(ctx context.Context, env dev.Env) (dev.Hub, error) {
		cfg.DatabaseURL, cfg.AgentdBin = env.DSN, env.AgentdBin
		opt := options{pages: true, work: true, demo: true, routes: devmail.Routes(env.Mail)}
		if cfg.SMTPAddr == "" {
			cfg.SMTPAddr, opt.mailAt = env.SMTPAddr, views.ListPath
		}
		if err := db.Migrate(ctx, cfg.DatabaseURL); err != nil {
			return nil, err
		}
		d := &devHub{out: out, box: env.Mail.Team, smtp: env.SMTPAddr, imap: env.IMAPAddr}
		opt.print = d.print
		h, err := openHub(ctx, cfg, opt, log)
		if err != nil {
			return nil, err
		}
		d.hub = h
		return d, h.start(ctx)
	}
}

// devHub is the hub with its demo.
type devHub struct {
	*hub
	out    io.Writer
	seeded atomic.Bool // the demo's own server is there
	box    *devmail.Mailbox
	smtp   string // where the mailbox's mails are sent
	imap   string // and where they are read
}

// print shows the codes of a server that somebody ordered. They are for the owner's eyes, and no page has them: what the
// hub shows, a dishonest hub could use. Those of the demo's own server are used, and printed, by the seeding.
func (d *devHub) print(c local.Codes) {
	if !d.seeded.Load() {
		return
	}
	// A closed terminal does not stop the hub.
	_, _ = fmt.Fprintf(d.out, "\nServer %s was made. Its approver codes, shown this once and on no page:\n", c.Slug)
	if c.Enrol != "" {
		_, _ = fmt.Fprintf(d.out, "  code    %s               enrols the owner's first key, within 24 hours\n", c.Enrol)
	}
	_, _ = fmt.Fprintf(d.out, "  recover %s   lets a browser approve when no device can any more; keep it on paper\n", c.Recovery)
}

// Stop ends the hub, and then the local servers with it: Ctrl-C leaves no process behind.
func (d *devHub) Stop(ctx context.Context) error {
	err := d.stop(ctx)
	if stopErr := d.host.Stop(ctx); stopErr != nil {
		return fmt.Errorf("stop local servers: %w", stopErr)
	}
	return err
}
