package hook_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

// victimEnv has this test binary work as a process of its own, in a folder, until it kills itself at the n-th point.
const victimEnv = "HOOK_TEST_VICTIM"

func TestMain(m *testing.M) {
	job := os.Getenv(victimEnv)
	if job == "" {
		os.Exit(m.Run())
	}
	n, dir, _ := strings.Cut(job, ":")
	at, err := strconv.Atoi(n)
	if err == nil {
		err = victim(dir, at)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// deliveries are what a sender sends, again and again until each was taken.
func deliveries() (all []wire.HookDelivery) {
	for i := range 3 {
		all = append(all, bearer("orders", aSecret, "{}", "webhook-id", strconv.Itoa(i)))
	}
	return all
}

// victim takes deliveries.
func victim(dir string, at int) error {
	seen := 0
	w, err := open(dir, func(string) {
		if seen++; seen == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	})
	if err != nil {
		return err
	}
	for _, d := range deliveries() {
		if _, err := w.Deliver(context.Background(), d); err != nil {
			return err
		}
	}
	return w.db.Close()
}

// TestDeliver_killed: a process is killed at each point between a delivery and its run, and the sender sends everything again. Each
// delivery has one run, and each run is on record.
func TestDeliver_killed(t *testing.T) {
	t.Parallel()
	for point, killed := 1, true; killed; point++ {
		dir := t.TempDir()
		storetest.Seed(t, filepath.Join(dir, "state"))
		w, err := open(dir, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		h := w.made(t, "orders", wire.HookToken)
		if err := w.db.Close(); err != nil {
			t.Fatal(err)
		}
		if killed = die(t, dir, point); killed {
			die(t, dir, 0) // the sender sends it all again
		}
		w = startIn(t, dir)
		if n := w.count(t); n != 3 {
			t.Errorf("point %d: %d runs for 3 deliveries", point, n)
		}
		var accepted, recorded int
		err = w.db.Read().QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM hook_deliveries WHERE hook = ? AND verdict =
			'accepted' AND run_id IN (SELECT id FROM test_runs)), (SELECT count(*) FROM receipts WHERE type = 'hook.accepted')`,
			h.ID).Scan(&accepted, &recorded)
		if err != nil || accepted != 3 || recorded != 3 {
			t.Errorf("point %d: %d accepted, %d on record (%v)", point, accepted, recorded, err)
		}
		if point > 50 {
			t.Fatal("there is no end of points")
		}
	}
}

// die has a victim work until it kills itself at a point; 0: never. It says whether it did.
func die(t *testing.T, dir string, point int) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d:%s", victimEnv, point, dir))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != syscall.SIGKILL {
		t.Fatalf("point %d: %v\n%s", point, err, out)
	}
	return true
}
