package runtime_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/runtime"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

// subVictim before a number has a victim kill itself at the n-th point of a message with a sub-agent: before and behind each
// write of the runtime.
const subVictim = "subagent "

// mortal is a store whose process kills itself at a point.
type mortal struct {
	runtime.Store
	at     int64
	points atomic.Int64
}

// Write implements runtime.Store.
func (m *mortal) Write(ctx context.Context, fn func(tx *sql.Tx) error) error {
	m.point()
	err := m.Store.Write(ctx, fn)
	m.point()
	return err
}

func (m *mortal) point() {
	if m.points.Add(1) == m.at {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}

// counting has a sub-agent count, in one call that can be repeated, and passes on what it found.
func counting() model {
	return parts{firstCalls(spawn("1", "", "invoices")), counts("green"), passesOn}.model()
}

func subMessage() wire.ChatMessage {
	return wire.ChatMessage{
		RunID: victimRun, SessionID: victimSession, Agent: "it-admin", Text: "Count the invoices", From: owner, Time: nowUTC(),
	}
}

func subagentVictim(dir string, at int) {
	o := options{once: true, model: counting(), wrap: func(s runtime.Store) runtime.Store { return &mortal{Store: s, at: int64(at)} }}
	s, err := open(dir, o)
	if err != nil {
		panic(err)
	}
	if _, err := s.rt.Post(context.Background(), subMessage()); err != nil {
		panic(err)
	}
	for ; ; time.Sleep(time.Millisecond) { // until the conversation has heard of it
		var told int
		const heard = "SELECT count(*) FROM runs WHERE session_id = ? AND state = 'done'"
		if err := s.DB.Read().QueryRowContext(context.Background(), heard, victimSession).Scan(&told); err != nil {
			panic(err)
		}
		if told == 2 {
			os.Exit(0)
		}
	}
}

// TestSubagent_killed: a process is killed before and behind each write from the message to the report, and the next one goes
// on. There is one sub-agent, one effect and one report, and all of them have ended well.
func TestSubagent_killed(t *testing.T) {
	t.Parallel()
	for point, killed := 1, true; killed; point++ {
		dir := t.TempDir()
		storetest.Seed(t, dir+"/state")
		killed = killedAt(t, dir, point)
		s, err := open(dir, options{once: true, model: counting()})
		if err != nil {
			t.Fatal(err)
		}
		s.post(t, subMessage()) // the message may not have been durable
		told := s.heard(t)
		var subs, done, effects int
		row := s.DB.Read().QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM subagents),
			(SELECT count(*) FROM subagents s JOIN runs r ON r.id = s.id WHERE s.state = 'completed' AND r.state = 'done' AND s.told = ?),
			(SELECT count(*) FROM runs)`, told.Run.ID)
		if err := row.Scan(&subs, &done, &effects); err != nil {
			t.Fatal(err)
		}
		if subs != 1 || done != 1 || effects != 3 || !strings.Contains(told.Run.Final.Text, "41 of invoices") {
			t.Errorf("point %d: %d sub-agents, %d done, %d runs, %s", point, subs, done, effects, told.Run.Final.Text)
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		if point > 300 {
			t.Fatal("there is no end of points")
		}
	}
}

// heard waits until the conversation of the victim has heard of its sub-agent, and gives that turn.
func (s *server) heard(t testing.TB) wire.Turn {
	t.Helper()
	for limit := time.Now().Add(time.Minute); !s.twice(t); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("the report did not come; events: %s", list(s.watch.events()))
		}
	}
	turns := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: victimSession}).Turns
	if len(turns) != 2 || turns[1].Run.Final == nil {
		t.Fatalf("%d turns, %+v", len(turns), turns)
	}
	return turns[1]
}

// twice says whether both turns are over.
func (s *server) twice(t testing.TB) bool {
	t.Helper()
	var n int
	const over = "SELECT count(*) FROM runs WHERE session_id = ? AND state = 'done'"
	if err := s.DB.Read().QueryRowContext(t.Context(), over, victimSession).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n == 2
}

// killedAt has a victim work until it kills itself at a point, and says whether it did before its work was over.
func killedAt(t *testing.T, dir string, point int) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", dir)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s%d", victimEnv, subVictim, point))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != syscall.SIGKILL {
		t.Fatalf("point %d: %v\n%s", point, err, out)
	}
	return true
}

func victimPoint(place string) (at int, ok bool) {
	n, ok := strings.CutPrefix(place, subVictim)
	if !ok {
		return 0, false
	}
	at, err := strconv.Atoi(n)
	return at, err == nil
}
