package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sys/unix"
)

// name is what a worker is called in the rows of the jobs it works on. It lies in a file that is locked while the worker
// lives: whoever gets the lock knows that every job still running under that name was cut off, and takes it up at once
// instead of waiting until it counts as stuck.
type name struct {
	id   string
	file *os.File // nil: the name is this process's alone
}

// maxNames is how many workers may share a folder.
const maxNames = 64

// takeName takes the first name in dir that no living worker has, or makes one.
func takeName(dir string) (*name, error) {
	if dir == "" {
		return &name{id: "hub-" + uuid.NewString()}, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for i := range maxNames {
		n, err := tryName(filepath.Join(dir, fmt.Sprintf("worker-%d.name", i+1)))
		if n != nil || err != nil {
			return n, err
		}
	}
	return nil, fmt.Errorf("%d workers live in %s already", maxNames, dir)
}

// tryName takes the name in the file at path; nil when a living worker has it.
func tryName(path string) (*name, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		err = errors.Join(notTaken(err), f.Close())
		return nil, err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	id := strings.TrimSpace(string(b))
	if id == "" {
		id = "hub-" + uuid.NewString()
		if _, err := f.WriteString(id + "\n"); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return &name{id: id, file: f}, nil
}

func notTaken(err error) error {
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil
	}
	return err
}

func (n *name) giveBack() error {
	if n.file == nil {
		return nil
	}
	return n.file.Close()
}

// takeUp makes the jobs that still run under the name of this worker, which has not begun, available again. Being cut
// off was no try of theirs.
func takeUp(ctx context.Context, pool *pgxpool.Pool, id string) (int64, error) {
	tag, err := pool.Exec(ctx, `UPDATE river_job SET state = 'available', attempt = greatest(attempt - 1, 0), scheduled_at = now()
		WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = $1`, id)
	if err != nil {
		return 0, fmt.Errorf("take up jobs of a killed worker: %w", err)
	}
	return tag.RowsAffected(), nil
}
