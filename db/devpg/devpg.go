package devpg

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Options say where and how to run a cluster.
type Options struct {
	Dir     string // made when missing; every folder above it must be passable for the account
	Durable bool   // false only for unit tests: a crash then loses acknowledged commits
	Tied    bool   // the cluster ends with the process that starts it, however that one ends
}

// Server is a running cluster.
type Server struct {
	DSN     string // of the database postgres; replace the path for another
	PID     int
	Adopted bool // it was running already
	opts    Options
	account Account
	bin     string
}

const startLimit = 60 * time.Second

// Start makes the cluster in opts.Dir when there is none, starts it, and returns when it takes connections. A
// cluster that already runs there is adopted: it outlives whoever started it.
func Start(ctx context.Context, opts Options) (*Server, error) {
	bin, err := FindBin()
	if err != nil {
		return nil, err
	}
	account, err := Unprivileged()
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts, account: account, bin: bin}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	if pid, port, ok := s.running(); ok {
		s.PID, s.Adopted = pid, true
		return s, s.setDSN(port)
	}
	return s, s.launch(ctx)
}

// Stop ends the cluster and disconnects who is still there; committed data is safe.
func (s *Server) Stop(ctx context.Context) error {
	if err := syscall.Kill(s.PID, syscall.SIGINT); err != nil {
		if errors.Is(err, syscall.ESRCH) {
			return nil
		}
		return fmt.Errorf("stop postgres: %w", err)
	}
	return waitFor(ctx, func() (bool, error) { return !s.alive(s.PID), nil })
}

// Alive says whether the cluster's main process runs.
func (s *Server) Alive() bool { return s.alive(s.PID) }

// Revive starts a cluster that died, on the same port, so that the DSN stays true. The children of a killed main
// process hold the port until they notice.
func (s *Server) Revive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	err := waitFor(ctx, func() (bool, error) {
		p, known := s.lastPort()
		return !known || free(p), nil
	})
	if err != nil {
		return err
	}
	return s.launch(ctx)
}

func (s *Server) data() string { return filepath.Join(s.opts.Dir, "data") }

// prepare makes the folder, the password and the cluster, each only once.
func (s *Server) prepare(ctx context.Context) error {
	if err := os.MkdirAll(s.opts.Dir, 0o755); err != nil {
		return fmt.Errorf("postgres folder: %w", err)
	}
	if !s.account.Reaches(s.opts.Dir) {
		return fmt.Errorf("postgres runs as uid %d, which cannot reach %s", s.account.UID, s.opts.Dir)
	}
	if _, err := os.Stat(filepath.Join(s.data(), "PG_VERSION")); err == nil {
		return nil
	}
	return s.initdb(ctx)
}

// initdb makes the cluster aside and renames it, so that a kill in the middle leaves nothing half done.
func (s *Server) initdb(ctx context.Context) error {
	fresh := s.data() + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(fresh, 0o700), s.account.own(fresh)); err != nil {
		return fmt.Errorf("postgres folder: %w", err)
	}
	pwfile, err := s.passwordFor(s.data() + ".pw")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(pwfile) }()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "-D", fresh, "-U", "gatehouse", "--no-locale", "-E", "UTF8", "-A", "scram-sha-256", "--pwfile="+pwfile, "--no-instructions")
	cmd.Dir, cmd.Env = s.opts.Dir, s.env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.account.credential()}
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "could not look up effective user ID") {
		return fmt.Errorf("a private Postgres needs a user with a name, and uid %d has no entry in /etc/passwd: run this as a user that has one, or as root, or set DATABASE_URL to a database of yours", s.account.UID)
	}
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return os.Rename(fresh, s.data())
}

func (s *Server) env() []string { return []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"} }

// errHeld says that children of a main process which was killed still hold its shared memory. They end by themselves.
var errHeld = errors.New("postgres is still ending")

// launch starts the main process and waits until it answers.
func (s *Server) launch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	port, err := s.port()
	if err != nil {
		return err
	}
	var held error
	err = waitFor(ctx, func() (bool, error) {
		err := s.try(ctx, port)
		if errors.Is(err, errHeld) {
			held = err
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return errors.Join(err, held)
	}
	return s.setDSN(port)
}

func (s *Server) try(ctx context.Context, port int) error {
	exited, err := s.spawn(port)
	if err != nil {
		return err
	}
	return waitFor(ctx, func() (bool, error) {
		select {
		case <-exited:
			return false, s.whyNot()
		default:
		}
		pid, _, ok := s.running()
		s.PID = pid
		return ok, nil
	})
}

// whyNot is what the log says of a start that failed.
func (s *Server) whyNot() error {
	said := s.logTail()
	if strings.Contains(said, "pre-existing shared memory block") {
		return fmt.Errorf("%w: %s", errHeld, said)
	}
	return fmt.Errorf("postgres did not start: %s", said)
}

// spawn starts the main process in a process group of its own, so that Ctrl-C reaches the hub first.
func (s *Server) spawn(port int) (exited <-chan struct{}, err error) {
	log, err := os.OpenFile(filepath.Join(s.opts.Dir, "postgres.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("postgres log: %w", err)
	}
	defer func() { _ = log.Close() }()
	args := []string{
		"-D", s.data(), "-k", "", "-h", "127.0.0.1", "-p", strconv.Itoa(port),
		"-c", "max_connections=500", "-c", "timezone=UTC", "-c", "log_timezone=UTC",
	}
	if !s.opts.Durable { // its databases live for seconds: nothing there is worth tidying or compiling
		args = append(args, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
			"-c", "autovacuum=off", "-c", "jit=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0")
	}
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), args...) //nolint:noctx // it outlives this process on purpose
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.opts.Dir, s.env(), log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.account.credential()}
	if s.opts.Tied {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGINT
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // reap it; how it ended is in its log
		close(done)
	}()
	return done, nil
}

func (s *Server) setDSN(port int) error {
	pw, err := s.password()
	if err != nil {
		return err
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword("gatehouse", pw), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: "/postgres", RawQuery: "sslmode=disable"}
	s.DSN = u.String()
	return nil
}

func (s *Server) logTail() string {
	b, err := os.ReadFile(filepath.Join(s.opts.Dir, "postgres.log"))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], " / ")
}

// waitFor asks every few milliseconds until cond holds, fails, or ctx ends.
func waitFor(ctx context.Context, cond func() (bool, error)) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := cond(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for postgres: %w", ctx.Err())
		case <-tick.C:
		}
	}
}
