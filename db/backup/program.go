package backup

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// program finds one of Postgres's own programs: in HUB_PG_BIN, else of the newest version that Debian's packages installed, else
// on PATH.
func program(name string) (string, error) {
	dirs := []string{os.Getenv("HUB_PG_BIN")}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is right
	sort.Slice(found, func(i, j int) bool { return version(found[i]) > version(found[j]) })
	for _, dir := range append(dirs, found...) {
		path := filepath.Join(dir, name)
		if st, err := os.Stat(path); dir != "" && err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is missing: install the package postgresql-client, or name the folder that holds it in HUB_PG_BIN", name)
	}
	return path, nil
}

// version is the number in the path of a folder of programs.
func version(bin string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin))) // another folder counts as the oldest
	return n
}

// environment tells Postgres's programs which database they work on, the password included: arguments are seen by everybody.
func environment(dsn string) ([]string, error) {
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	env := []string{
		"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "PGAPPNAME=gatehouse backup", "PGCONNECT_TIMEOUT=10",
		"PGHOST=" + c.Host, fmt.Sprintf("PGPORT=%d", c.Port), "PGUSER=" + c.User, "PGDATABASE=" + c.Database, "PGPASSWORD=" + c.Password,
	}
	if u, err := url.Parse(dsn); err == nil {
		for _, name := range []string{"sslmode", "sslrootcert", "sslcert", "sslkey"} {
			if v := u.Query().Get(name); v != "" {
				env = append(env, "PG"+strings.ToUpper(name)+"="+v)
			}
		}
	}
	return env, nil
}

// running is a program of Postgres at work.
type running struct {
	*exec.Cmd
	name string
	said bytes.Buffer // what it complained about
}

// prepare makes a program ready to start. It is killed when ctx ends.
func prepare(ctx context.Context, dsn, name string, args ...string) (*running, error) {
	path, err := program(name)
	if err != nil {
		return nil, err
	}
	env, err := environment(dsn)
	if err != nil {
		return nil, err
	}
	r := &running{Cmd: exec.CommandContext(ctx, path, args...), name: name}
	r.Env, r.Stderr, r.WaitDelay = env, &r.said, 10*time.Second
	return r, nil
}

// ended says what became of it.
func (r *running) ended(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", r.name, err, strings.TrimSpace(r.said.String()))
}

// feed runs it with what write gives it. When both fail, the one that failed by itself is to blame.
func (r *running) feed(write func(io.Writer) error) error {
	in, err := r.StdinPipe()
	if err != nil {
		return err
	}
	if err := r.Start(); err != nil {
		return r.ended(err)
	}
	wrong := write(in)
	_ = in.Close() // it may have ended before
	err = r.Wait()
	if wrong != nil && (r.ProcessState == nil || !r.ProcessState.Exited() || r.ProcessState.Success()) {
		return wrong
	}
	return r.ended(err)
}
