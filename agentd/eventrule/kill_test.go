package eventrule_test

import (
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
const victimEnv = "EVENTRULE_TEST_VICTIM"

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

// victim has three runs fail, one after the other.
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
	for i := range 3 {
		if err := w.happens(failed(strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return w.db.Close()
}

// TestHappened_killed: a process is killed at each point between an event and the run that it begins, and the next one puts on record
// what had not come so far. Each event has one run for each rule, and each run is on record.
func TestHappened_killed(t *testing.T) {
	t.Parallel()
	for point, killed := 1, true; killed; point++ {
		dir := t.TempDir()
		storetest.Seed(t, filepath.Join(dir, "state"))
		w, err := open(dir, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		rules := []wire.EventRule{w.made(t, nil), w.made(t, func(a *wire.EventRuleAct) { a.Agent = "it-admin" })}
		if err := w.db.Close(); err != nil {
			t.Fatal(err)
		}
		if killed = die(t, dir, point); killed {
			die(t, dir, 0) // the next process goes on
		}
		w = startIn(t, dir)
		if n := w.count(t); n != 6 {
			t.Errorf("point %d: %d runs for 3 events and 2 rules", point, n)
		}
		for _, v := range rules {
			const query = `SELECT count(*) FROM event_firings WHERE rule = ? AND verdict = 'began' AND run_id IN (SELECT id FROM test_runs)`
			if n := w.number(t, query, v.ID); n != 3 {
				t.Errorf("point %d: %d of 3 in the history", point, n)
			}
		}
		if n := w.receipts(t, "event.began"); n != 6 {
			t.Errorf("point %d: %d of 6 on record", point, n)
		}
		if point > 80 {
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
