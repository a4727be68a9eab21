package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/cmd/hub/devmail"
	"gatehouse/db/devpg"
)

// Config is what a run on one machine needs to know.
type Config struct {
	Dir         string // the data folder, as Place found it
	Addr        string // HUB_ADDR
	PublicURL   string // how people reach it
	DatabaseURL string // empty: a private cluster
	AgentdBin   string // the agentd to run for local servers
	Out         io.Writer
	Log         *slog.Logger
	Now         func() time.Time
}

// Env is what the run gives to the hub.
type Env struct {
	DSN       string
	SMTPAddr  string // the mail catcher
	AgentdBin string // where the unprivileged user can reach it
	Mail      *devmail.Store
	IMAPAddr  string // where the team's mailbox is read
}

// Hub is the hub while it runs.
type Hub interface {
	// Seed makes what the demo still lacks and returns how to sign in. It is called on every start; known is what the
	// last run wrote, and save keeps a step, so that a kill in the middle loses no secret.
	Seed(ctx context.Context, known Demo, save func(Demo) error) (Demo, error)
	// Wait returns when the hub has ended.
	Wait() error
	// Stop ends the hub and the local servers.
	Stop(ctx context.Context) error
}

// Start brings up the hub.
type Start func(ctx context.Context, env Env) (Hub, error)

// stopLimit is how long everything together may take to stop.
const stopLimit = 30 * time.Second

// Run starts everything, prints where to look, and returns when ctx has ended and everything has stopped. A process
// that is killed instead leaves Postgres and the local servers running; the next Run adopts them.
func Run(ctx context.Context, c Config, start Start) error {
	lock, err := Acquire(c.Dir, c.PublicURL)
	if err != nil {
		return err
	}
	defer lock.Release()
	if err := freeToListen(c.Addr); err != nil {
		return err
	}
	dsn, stopDB, err := c.database(ctx)
	if err != nil {
		return err
	}
	err = c.withHub(ctx, dsn, start)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return errors.Join(err, stopDB(stop))
}

// withHub runs catcher and hub until ctx ends.
func (c Config) withHub(ctx context.Context, dsn string, start Start) error {
	mail, smtpAddr, err := c.catchMail(ctx)
	if err != nil {
		return err
	}
	imapAddr, err := c.serveMailbox(ctx, mail.Team)
	if err != nil {
		return err
	}
	bin, err := c.placeAgentd()
	if err != nil {
		return err
	}
	hub, err := start(ctx, Env{DSN: dsn, SMTPAddr: smtpAddr, AgentdBin: bin, Mail: mail, IMAPAddr: imapAddr})
	if err != nil {
		return err
	}
	err = c.serve(ctx, hub)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return errors.Join(err, hub.Stop(stop))
}

// serve seeds, says that all is ready, and waits for the end.
func (c Config) serve(ctx context.Context, hub Hub) error {
	known, err := ReadDemo(c.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	known.HubURL = c.PublicURL
	demo, err := hub.Seed(ctx, known, func(d Demo) error { return d.Write(c.Dir) })
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("prepare the demo: %w", err)
	}
	c.announce(demo)
	ended := make(chan error, 1)
	go func() { ended <- hub.Wait() }()
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		return err
	}
}

func (c Config) announce(d Demo) {
	var b strings.Builder
	if strings.HasPrefix(c.Dir, elsewhere) {
		fmt.Fprintf(&b, "Data is in %s, where the unprivileged user of the demo can reach it.\n", c.Dir)
	}
	fmt.Fprintf(&b, "\nGatehouse is ready at %s\n\n", d.HubURL)
	fmt.Fprintf(&b, "  portal  %s/auth/sign-in        %s   %s\n", d.HubURL, d.Customer.Email, d.Customer.Password)
	fmt.Fprintf(&b, "  admin   %s/admin/auth/sign-in  %s   %s   code: make demo-code\n", d.HubURL, d.Staff.Email, d.Staff.Password)
	fmt.Fprintf(&b, "  mail    %s/dev/mail            what the team and the hub send; write to %s there\n", d.HubURL, TeamAddress)
	fmt.Fprintf(&b, "  code    %s          lets a browser approve; with it filled in: %s/app#code=%s\n", d.EnrolCode, d.HubURL, d.EnrolCode)
	if d.RecoveryCode != "" {
		fmt.Fprintf(&b, "  recover %s   lets a browser approve when no device can any more; shown this once\n", d.RecoveryCode)
	}
	fmt.Fprintf(&b, "\nThe same is in %s. Ctrl-C stops everything.\n", demoPath(c.Dir))
	_, _ = io.WriteString(c.Out, b.String()) // a closed terminal does not stop the hub
}

func postgresIn(dir string) string { return filepath.Join(dir, "postgres") }

// database is the one of DATABASE_URL, or the private cluster, which is started, watched and stopped here.
func (c Config) database(ctx context.Context) (dsn string, stop func(context.Context) error, err error) {
	if c.DatabaseURL != "" {
		return c.DatabaseURL, func(context.Context) error { return nil }, nil
	}
	pg, err := devpg.Start(ctx, devpg.Options{Dir: postgresIn(c.Dir), Durable: true})
	if err != nil {
		return "", nil, err
	}
	watch, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() { defer close(done); c.revive(watch, pg) }()
	stop = func(ctx context.Context) error { cancel(); <-done; return pg.Stop(ctx) }
	if dsn, err = ensureDatabase(ctx, pg.DSN); err != nil {
		return "", nil, errors.Join(err, stop(context.WithoutCancel(ctx)))
	}
	return dsn, stop, nil
}

// revive starts the cluster again whenever its main process has died.
func (c Config) revive(ctx context.Context, pg *devpg.Server) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if pg.Alive() {
			continue
		}
		c.Log.WarnContext(ctx, "postgres died, starting it again")
		if err := pg.Revive(ctx); err != nil && ctx.Err() == nil {
			c.Log.ErrorContext(ctx, "postgres does not start", "error", err)
		}
	}
}

const database = "gatehouse"

func ensureDatabase(ctx context.Context, server string) (string, error) {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", fmt.Errorf("private postgres: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	var there bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", database).Scan(&there); err != nil {
		return "", fmt.Errorf("private postgres: %w", err)
	}
	if !there {
		if _, err := conn.Exec(ctx, "CREATE DATABASE "+database); err != nil {
			return "", fmt.Errorf("private postgres: %w", err)
		}
	}
	u, err := url.Parse(server)
	if err != nil {
		return "", fmt.Errorf("private postgres: %w", err)
	}
	u.Path = "/" + database
	return u.String(), nil
}

// freeToListen finds out before anything is made whether the address is taken.
func freeToListen(addr string) error {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken by another program. Use another port:  HUB_ADDR=127.0.0.1:8081 make run", addr)
	}
	if err != nil {
		return fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l.Close()
}
