package dbtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"

	"gatehouse/cmd/kept"
	"gatehouse/db/devpg"
)

// shared is the one cluster of this machine that every test program uses while it runs. Each holds a lock on the file
// users; the cluster ends with the last of them, however that one ends.
type shared struct {
	*devpg.Server
	dir      string
	users    *kept.Lock
	template string        // the name of the migrated database
	beside   *pgxpool.Pool // to the database postgres, for statements about the others
}

// join starts the cluster unless it runs, and makes the template unless it is there. One program at a time is at the door.
func join(ctx context.Context) (*shared, error) {
	dir, err := kept.MemoryFolder("postgres")
	if err != nil {
		return nil, err
	}
	door, err := kept.Exclusive(filepath.Join(dir, "door"))
	if err != nil {
		return nil, err
	}
	defer door.Release()
	s := &shared{dir: dir}
	if s.users, err = kept.Shared(s.usersFile()); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.leave(ctx))
	}
	return s, nil
}

func (s *shared) usersFile() string { return filepath.Join(s.dir, "users") }
func (s *shared) cluster() string   { return filepath.Join(s.dir, "cluster") }
func (s *shared) log() string       { return filepath.Join(s.cluster(), "postgres.log") }

func (s *shared) start(ctx context.Context) (err error) {
	if !devpg.Running(s.cluster()) {
		if err := s.clean(); err != nil {
			return err
		}
		if err := s.keep(); err != nil {
			return err
		}
		_ = os.Remove(s.log()) // nobody reads what was logged before; there is none the first time
	}
	if s.Server, err = devpg.Start(ctx, devpg.Options{Dir: s.cluster()}); err != nil {
		return err
	}
	if s.beside, err = pgxpool.New(ctx, s.DSN); err != nil {
		return err
	}
	return s.makeTemplate(ctx)
}

// clean deletes a cluster that was not stopped in order, that another Postgres made, or that a crash of the machine may have
// damaged: this one does not wait for the disk.
func (s *shared) clean() error {
	bin, err := devpg.FindBin()
	if err != nil {
		return err
	}
	program, err := os.Stat(filepath.Join(bin, "postgres"))
	if err != nil {
		return err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return err
	}
	madeBy := fmt.Sprintf("%s %s %s", bin, program.ModTime().UTC(), boot)
	stamp := filepath.Join(s.dir, "made-by")
	was, err := os.ReadFile(stamp)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	_, unclean := os.Lstat(filepath.Join(s.cluster(), "data", "postmaster.pid"))
	if string(was) == madeBy && errors.Is(unclean, os.ErrNotExist) {
		return nil
	}
	if err := os.RemoveAll(s.cluster()); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(madeBy), 0o600)
}

// keeper waits until nobody uses the cluster any more, which the kernel knows also of programs that were killed, and stops
// it if nobody else has. When the folder was deleted meanwhile, the cluster that is there now has a keeper of its own. It gives
// up after 20 s. A zombie, whose command line is empty, has ended.
const keeper = `exec 9>"$1" && flock 9 && [ "$1" -ef /proc/self/fd/9 ] || exit
pid=$(head -n 1 "$2/data/postmaster.pid") && grep -qF "$2/data" "/proc/$pid/cmdline" && kill -INT "$pid" || exit
for try in $(seq 1000); do grep -q . "/proc/$pid/cmdline" || exit; sleep 0.02; done`

// keep starts the keeper in a session of its own: Ctrl-C ends the tests, and it outlives them.
func (s *shared) keep() error {
	cmd := exec.Command("sh", "-c", keeper, "gatehouse-keeper", s.usersFile(), s.cluster())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("keeper of the tests' postgres: %w", err)
	}
	go func() { _ = cmd.Wait() }() // reap it; nobody asks how it ended
	return nil
}

// leave stops the cluster when nobody else uses it, and returns when it has ended.
func (s *shared) leave(ctx context.Context) error {
	if s.beside != nil {
		s.beside.Close()
	}
	alone, err := s.users.LeftAlone(func() error {
		if s.Server == nil || !s.Alive() {
			return nil
		}
		return s.Stop(ctx)
	})
	if alone || err != nil {
		return err
	}
	others, err := kept.Shared(s.usersFile()) // waits while the keeper stops it
	if err == nil {
		others.Release()
	}
	return err
}
