package devpg

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// dir is a folder that an unprivileged account reaches: t.TempDir is 0700 and owned by us.
func dir(t *testing.T) string {
	t.Helper()
	d, err := os.MkdirTemp("", "devpg-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(d) })
	if err := os.Chmod(d, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(d, "pg")
}

func start(t *testing.T, opts Options) *Server {
	t.Helper()
	s, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStart_secondCallAdopts(t *testing.T) {
	t.Parallel()
	opts := Options{Dir: dir(t)}
	first := start(t, opts)
	second := start(t, opts)
	if !second.Adopted || second.PID != first.PID || second.DSN != first.DSN {
		t.Fatalf("second start: got %+v, want the running cluster %+v", second, first)
	}
}

// TestStart_withoutAnEntry: initdb wants to know its user's name, and a container may run as a number that has none.
func TestStart_withoutAnEntry(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root becomes somebody else")
	}
	bin, err := FindBin()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{opts: Options{Dir: dir(t)}, account: Account{UID: 64321, GID: 64321, Switch: true}, bin: bin}
	err = s.prepare(t.Context())
	for _, want := range []string{"64321", "/etc/passwd", "root", "DATABASE_URL"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v says nothing of %s", err, want)
		}
	}
}

func TestRevive_afterKillKeepsDSN(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Dir: dir(t), Durable: true})
	dsn, pid := s.DSN, s.PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := waitFor(t.Context(), func() (bool, error) { return !s.Alive(), nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Revive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.DSN != dsn || s.PID == pid {
		t.Fatalf("after revival: dsn %q pid %d, want dsn %q and another pid than %d", s.DSN, s.PID, dsn, pid)
	}
}

func TestStop_leavesNoProcess(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Dir: dir(t)})
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Alive() {
		t.Fatal("the cluster still runs after Stop")
	}
}

func TestAccount_Reaches(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	stranger := Account{UID: 54321, GID: 54321}
	if stranger.Reaches(filepath.Join(closed, "below")) {
		t.Fatal("a stranger reaches below a folder of mode 0700")
	}
	if !stranger.Reaches("/usr") {
		t.Fatal("a stranger does not reach /usr")
	}
}
