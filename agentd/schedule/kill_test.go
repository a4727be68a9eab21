package schedule_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

// victimEnv has this test binary work as a process of its own, in a folder, until it kills itself at the n-th point.
const victimEnv = "SCHEDULE_TEST_VICTIM"

func TestMain(m *testing.M) {
	job := os.Getenv(victimEnv)
	if job == "" {
		os.Exit(m.Run())
	}
	part := strings.SplitN(job, ":", 3)
	at, err := strconv.Atoi(part[1])
	if err == nil {
		err = victims[part[0]](part[2], at)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// victims are what such a process does, by the first part of its job.
var victims = map[string]func(dir string, at int) error{"tasks": victim, "monitor": watcher}

// dying ends the process at the n-th point.
func dying(at int) func(string) {
	seen := 0
	return func(string) {
		if seen++; seen == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	}
}

// victim takes what is due in three steps of the clock, with one run that fails and is repeated in between.
func victim(dir string, at int) error {
	w, err := open(dir, monday, dying(at))
	if err != nil {
		return err
	}
	for _, step := range []time.Duration{10 * time.Minute, 11 * time.Minute, 13 * time.Minute, 30 * time.Hour, 31 * time.Hour} {
		w.time = monday.Add(step)
		if _, err := w.Pass(context.Background()); err != nil {
			return err
		}
		state := wire.RunDone
		if step <= 10*time.Minute {
			state = wire.RunFailed
		}
		if err := w.ended(state); err != nil {
			return err
		}
	}
	return w.db.Close()
}

// ended ends all runs, and has that taken note of.
func (w *world) ended(state wire.RunState) error {
	err := w.db.Write(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), "UPDATE test_runs SET state = ? WHERE state = 'running'", state)
		return err
	})
	if err != nil {
		return err
	}
	_, err = w.Pass(context.Background())
	return err
}

// TestPass_killed: a process is killed at each point between "tick due" and "verdict written", and the next one goes on. Each tick
// has one verdict, each verdict that says so one run, and no run is there without a verdict.
func TestPass_killed(t *testing.T) {
	t.Parallel()
	for point, killed := 1, true; killed; point++ {
		dir := t.TempDir()
		storetest.Seed(t, filepath.Join(dir, "state"))
		w, err := open(dir, monday, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{
			w.plan(t, wire.ScheduleAt, "2026-11-30T07:55", nil).ID, w.plan(t, wire.ScheduleEvery, "6h", nil).ID,
			w.plan(t, wire.ScheduleCron, "0 9 * * *", nil).ID,
		}
		if err := w.db.Close(); err != nil {
			t.Fatal(err)
		}
		killed = die(t, "tasks", dir, point)
		if killed {
			die(t, "tasks", dir, 0) // the next process goes on, undisturbed
		}
		check(t, dir, point, ids)
		if point > 200 {
			t.Fatal("there is no end of points")
		}
	}
}

// watched are the numbers that a monitor sees, look by look: it has begun to hold twice.
var watched = []int{40, 92, 95, 50, 91}

// watcher has a monitor look at each of them.
func watcher(dir string, at int) error {
	reach := dying(at)
	w, err := open(dir, monday, reach)
	if err != nil {
		return err
	}
	for i, n := range watched {
		w.time, w.eye.text = monday.Add(time.Duration(i+1)*15*time.Minute+2*time.Minute), fmt.Sprintf("Use%%\n %d%%", n)
		reach("due")
		if _, err := w.WatchPass(context.Background()); err != nil {
			return err
		}
		reach("told")
		if err := w.ended(wire.RunDone); err != nil {
			return err
		}
	}
	return w.db.Close()
}

// TestWatchPass_killed: a process is killed at each point between a look that is due and its verdict, and the next one goes on. Each
// look has one verdict with its number, and the owner is told as often as the condition began to hold.
func TestWatchPass_killed(t *testing.T) {
	t.Parallel()
	for point, killed := 1, true; killed; point++ {
		dir := t.TempDir()
		storetest.Seed(t, filepath.Join(dir, "state"))
		w, err := open(dir, monday, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		id := w.plan(t, wire.ScheduleMonitor, "15m", full).ID
		if err := w.db.Close(); err != nil {
			t.Fatal(err)
		}
		if killed = die(t, "monitor", dir, point); killed {
			die(t, "monitor", dir, 0)
		}
		w = startIn(t, dir, monday.Add(2*time.Hour))
		var got []string
		for _, k := range ask[wire.ScheduleTicks](t, w, wire.MethodScheduleTicks, wire.ScheduleTicksParams{ID: id}).Items {
			got = append([]string{fmt.Sprintf("%s %.9s", k.Verdict, k.Reason)}, got...)
		}
		want := "[ran It is 40, ran It is 92, ran It is 95, ran It is 50, ran It is 91,]"
		if fmt.Sprint(got) != want || w.count(t) != 2 {
			t.Errorf("point %d: %v, told %d times", point, got, w.count(t))
		}
		if point > 200 {
			t.Fatal("there is no end of points")
		}
	}
}

// die has a victim work until it kills itself at a point; 0: never. It says whether it did.
func die(t *testing.T, what, dir string, point int) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s:%d:%s", victimEnv, what, point, dir))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != syscall.SIGKILL {
		t.Fatalf("point %d: %v\n%s", point, err, out)
	}
	return true
}

func check(t *testing.T, dir string, point int, ids []string) {
	t.Helper()
	w := startIn(t, dir, monday.Add(31*time.Hour))
	var without, doubled int
	err := w.db.Read().QueryRowContext(t.Context(), `SELECT
		(SELECT count(*) FROM schedule_ticks WHERE verdict IN ('ran', 'caught_up') AND run_id NOT IN (SELECT id FROM test_runs)),
		(SELECT count(*) FROM test_runs WHERE task = 'Look at the disk') - (SELECT sum(try) FROM schedule_ticks)`).Scan(&without, &doubled)
	if err != nil || without != 0 || doubled != 0 {
		t.Errorf("point %d: %d verdicts without a run, %d runs more than tries (%v)", point, without, doubled, err)
	}
	for i, n := range []int{1, 5, 2} {
		if got := w.history(t, ids[i]); len(got) != n {
			t.Errorf("point %d: schedule %d has %d verdicts, want %d: %q", point, i, len(got), n, got[:min(4, len(got))])
		}
	}
}
