package dbtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) {
	if os.Getenv("DBTEST_PROGRAM") != "" {
		os.Exit(joinAndWait())
	}
	Main(m)
}

// joinAndWait is a test program that joins, says which cluster it was given, and leaves when its input ends.
func joinAndWait() int {
	s, err := join(context.Background())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(s.PID, s.DSN)
	_, _ = io.Copy(io.Discard, os.Stdin) // it ends
	if err := s.leave(context.Background()); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// other is such a program while it runs.
type other struct {
	t     *testing.T
	cmd   *exec.Cmd
	input io.Closer
	pid   int // of the cluster
	dsn   string
}

// folder is one for temporary files that other users may enter.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gatehouse-dbtest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // the keeper may still be looking
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run starts one whose folder for temporary files is dir.
func run(t *testing.T, dir string) *other {
	t.Helper()
	o := &other{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0])}
	o.cmd.Env = append(os.Environ(), "DBTEST_PROGRAM=yes", "TMPDIR="+dir)
	in, err1 := o.cmd.StdinPipe()
	out, err2 := o.cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	o.input = in
	if err := o.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = o.cmd.Wait() }) // most have ended
	line, err := bufio.NewReader(out).ReadString('\n')
	if _, scanErr := fmt.Sscan(line, &o.pid, &o.dsn); err != nil || scanErr != nil {
		t.Fatalf("it said %q, %v", line, err)
	}
	return o
}

// leaves ends it in order.
func (o *other) leaves() {
	o.t.Helper()
	if err := o.input.Close(); err != nil {
		o.t.Error(err)
	}
	if err := o.cmd.Wait(); err != nil {
		o.t.Error(err)
	}
}

// dies ends it at once.
func (o *other) dies() {
	o.t.Helper()
	if err := o.cmd.Process.Kill(); err != nil {
		o.t.Error(err)
	}
	_ = o.cmd.Wait() // it was killed
}

// databases are those of the cluster that are not Postgres's own.
func (o *other) databases() (names []string) {
	o.t.Helper()
	conn, err := pgx.Connect(o.t.Context(), o.dsn)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(o.t.Context())) }()
	rows, err := conn.Query(o.t.Context(), "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'")
	if err == nil {
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return names
}

// makes makes a database and leaves it behind.
func (o *other) makes(name string) {
	o.t.Helper()
	conn, err := pgx.Connect(o.t.Context(), o.dsn)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(o.t.Context())) }()
	if _, err := conn.Exec(o.t.Context(), "CREATE DATABASE "+name); err != nil {
		o.t.Fatal(err)
	}
}

// runs says whether the process has not ended; one that nobody has reaped yet has no command line any more.
func runs(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && len(line) > 0
}

// awaitEnd waits until a process that others stop has ended.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); runs(pid); {
		select {
		case <-deadline:
			t.Fatal("the cluster runs, and nobody uses it")
		case <-tick.C:
		}
	}
}

// TestShared_lastStops: programs that run at the same time use one cluster, and the last one to leave stops it.
func TestShared_lastStops(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first, second := run(t, dir), run(t, dir)
	if first.pid != second.pid {
		t.Errorf("two clusters run: %d and %d", first.pid, second.pid)
	}
	first.makes("test_left")
	first.leaves()
	if !runs(second.pid) {
		t.Fatal("the first one to leave stopped it")
	}
	if all := second.databases(); len(all) != 2 {
		t.Errorf("there are %v, want the template and what was left", all)
	}
	second.leaves()
	if runs(second.pid) {
		t.Error("the last one to leave did not stop it")
	}
	third := run(t, dir)
	if all := third.databases(); len(all) != 1 || !strings.HasPrefix(all[0], "migrated_") {
		t.Errorf("there are %v, want the template alone", all)
	}
	third.leaves()
}

// TestShared_folderDeleted: the keeper of a cluster whose folder was deleted leaves alone the one that is there now.
func TestShared_folderDeleted(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first := run(t, dir)
	t.Cleanup(func() { _ = syscall.Kill(first.pid, syscall.SIGQUIT) }) // without its files it ends anyway, within a minute
	old := keepers(t, dir)
	if len(old) != 1 {
		t.Fatalf("keepers %v, want one", old)
	}
	tops, err := filepath.Glob(filepath.Join(dir, "gatehouse-kept-*"))
	if err != nil || len(tops) != 1 {
		t.Fatalf("kept folders %v, %v", tops, err)
	}
	if err := os.Rename(tops[0], filepath.Join(dir, "deleted")); err != nil {
		t.Fatal(err)
	}
	second := run(t, dir)
	first.dies()
	awaitEnd(t, old[0])
	if !runs(second.pid) {
		t.Error("the keeper of the first cluster stopped the second one")
	}
	second.leaves()
}

// keepers are those of clusters below dir.
func keepers(t *testing.T, dir string) (pids []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		line, _ := os.ReadFile(path) // it may have ended
		if strings.Contains(string(line), "gatehouse-keeper\x00"+dir) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path))) // the pattern lets only numbers through
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestShared_killed: the cluster ends also when its last user is killed, and what was killed itself is made anew.
func TestShared_killed(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first, second := run(t, dir), run(t, dir)
	first.dies()
	if len(second.databases()) == 0 {
		t.Error("the template is gone")
	}
	second.dies()
	awaitEnd(t, first.pid)
	third := run(t, dir)
	third.makes("test_left")
	if err := syscall.Kill(third.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	third.dies()
	fourth := run(t, dir)
	if all := fourth.databases(); len(all) != 1 {
		t.Errorf("after a crash there are %v", all)
	}
	fourth.leaves()
	if runs(fourth.pid) {
		t.Error("the last one to leave did not stop it")
	}
}
