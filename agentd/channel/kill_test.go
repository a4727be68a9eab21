package channel_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

func approvalOf(t *testing.T, raw json.RawMessage) (a wire.Approval) {
	t.Helper()
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func decision(a wire.Approval, v wire.Verb) wire.Decision { return gatetest.Answer(a, v) }

func callOf(t *testing.T, a channel.SendArgs) gate.Call {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	id := uuid.Must(uuid.NewV7()).String()
	return gate.Call{ID: id, RunID: id, RootRunID: id, SessionID: id, Agent: "secretary", Tool: channel.ToolName, Args: raw, Level: 3}
}

// victimEnv has this test binary work as a process of its own, in a folder, until it kills itself at the n-th point; at "send" it does
// when the provider has a message and has not said so.
const victimEnv = "CHANNEL_TEST_VICTIM"

func TestMain(m *testing.M) {
	job := os.Getenv(victimEnv)
	if job == "" {
		os.Exit(m.Run())
	}
	at, dir, _ := strings.Cut(job, ":")
	if err := victim(dir, at); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func kill() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way
}

// messages is how many the owner writes.
const messages = 2

// victim takes messages of the owner, answers them, and sends the answers.
func victim(dir, at string) error {
	p, seen := newPost(dir), 0
	who := owner
	if rest, is := strings.CutPrefix(at, ofStranger); is {
		who, at = stranger, rest
	}
	at, erases := strings.CutPrefix(at, toErase)
	n, _ := strconv.Atoi(at)
	if at == "send" {
		p.after = kill
	}
	for i := range messages {
		p.feed = append(p.feed, from(who, fmt.Sprintf("<%d@x>", i), "Hello", true))
	}
	if erases {
		p.feed[messages-1].Text = "/delete"
	}
	w, err := open(dir, p, func(string) {
		if seen++; seen == n {
			kill()
		}
	})
	if err != nil {
		return err
	}
	w.run()
	if erases {
		return errors.Join(w.erased(), w.close())
	}
	err = w.settled()
	return errors.Join(err, w.close())
}

// What stands before the point at which a victim dies: a stranger writes, and the last message asks to have all deleted.
const (
	ofStranger = "stranger "
	toErase    = "erase "
)

// erased waits until what is kept of a stranger is gone.
func (w *world) erased() error {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		w.Wake()
		n, err := w.columnOf("SELECT count(*) FROM channel_erasures")
		if err != nil || n[0] == "1" {
			return err
		}
	}
	return errors.New("not deleted in 20 s")
}

// settled answers every run, and waits until nothing is left to do.
func (w *world) settled() error {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		err := w.DB.Write(context.Background(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(context.Background(), "UPDATE test_runs SET answer = 'Done.'")
			return err
		})
		if err != nil {
			return err
		}
		w.Wake()
		var taken, left int
		err = w.DB.Read().QueryRowContext(context.Background(), `SELECT (SELECT count(*) FROM channel_messages),
			(SELECT count(*) FROM channel_messages WHERE open = 1) + (SELECT count(*) FROM channel_outbox WHERE state = 'waiting')`).
			Scan(&taken, &left)
		if err != nil {
			return err
		}
		if taken == messages && left == 0 {
			return nil
		}
	}
	return errors.New("not settled in 20 s")
}

// TestKilled: a process is killed at each point between a message and the end of its answer, and goes on. Each message has one run, and
// no answer is sent twice.
func TestKilled(t *testing.T) {
	t.Parallel()
	for point, killed := 1, true; killed; point++ {
		w := survived(t, strconv.Itoa(point), &killed)
		if n := len(w.all(t)); n != messages {
			t.Errorf("point %d: %d runs for %d messages", point, n, messages)
		}
		once(t, w)
		if point > 60 {
			t.Fatal("there is no end of points")
		}
	}
}

// TestKilled_sent: the provider has a message, and the process dies before it knows. Nobody knows whether it was sent, so it is not
// sent again.
func TestKilled_sent(t *testing.T) {
	t.Parallel()
	var killed bool
	w := survived(t, "send", &killed)
	once(t, w)
	if n := w.view(t).Counts; !killed || n.Unknown == 0 || len(w.sent(t)) == n.Sent {
		t.Errorf("%+v", n)
	}
}

// TestKilled_stranger: the same for a stranger who is answered without a question.
func TestKilled_stranger(t *testing.T) {
	t.Parallel()
	for point, killed := 1, true; killed; point++ {
		w := survived(t, ofStranger+strconv.Itoa(point), &killed)
		if n := len(w.all(t)); n != messages {
			t.Errorf("point %d: %d runs for %d messages", point, n, messages)
		}
		once(t, w)
		if point > 60 {
			t.Fatal("there is no end of points")
		}
	}
	var killed bool
	w := survived(t, ofStranger+"send", &killed)
	once(t, w)
	if n := w.view(t).Counts; !killed || n.Unknown == 0 {
		t.Errorf("%+v", n)
	}
}

// TestKilled_erasing: a process is killed at each point between the wish of a stranger and its end. All is deleted once, and they are told
// once at most.
func TestKilled_erasing(t *testing.T) {
	t.Parallel()
	for point, killed := 1, true; killed; point++ {
		w := survived(t, ofStranger+toErase+strconv.Itoa(point), &killed)
		until(t, "it is deleted", func() bool { return w.view(t).Wrote.Erased == 1 })
		if left := w.mentions(t, stranger); len(left) != 0 {
			t.Errorf("point %d: %v", point, left)
		}
		told := 0
		for _, m := range w.sent(t) {
			if strings.HasPrefix(m.Text, "What you wrote here, your files") {
				told++
			}
		}
		if told > 1 || point > 90 {
			t.Fatalf("point %d: told %d times", point, told)
		}
	}
}

// survived has a victim work until it dies, and another one go on until all is done.
func survived(t *testing.T, at string, killed *bool) *world {
	t.Helper()
	dir := t.TempDir()
	storetest.Seed(t, filepath.Join(dir, "state"))
	w, err := open(dir, newPost(dir), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	a := putting(wire.ChannelPairing)
	if strings.HasPrefix(at, ofStranger) {
		a = putting(wire.ChannelOpen)
		a.Strangers.Replies = true
	}
	if _, err := w.act(a); err != nil {
		t.Fatal(err)
	}
	w.allow(t, owner, true)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if *killed = die(t, dir, at); *killed {
		die(t, dir, strings.TrimRight(at, "0123456789send")+"0")
	}
	return startIn(t, dir, newPost(dir))
}

// once fails when a message was sent twice, or was not sent and nobody is told that it may not have been.
func once(t *testing.T, w *world) {
	t.Helper()
	seen := map[string]bool{}
	for _, m := range w.sent(t) {
		if seen[m.Reply.ID] {
			t.Errorf("%s was answered twice", m.Reply.ID)
		}
		seen[m.Reply.ID] = true
	}
	if n := w.view(t).Counts; n.Sent+n.Unknown != messages || n.Sent > len(seen) {
		t.Errorf("%d were sent, and the list says %+v", len(seen), n)
	}
}

// die has a victim work until it kills itself. It says whether it did.
func die(t *testing.T, dir, at string) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), victimEnv+"="+at+":"+dir)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != syscall.SIGKILL {
		t.Fatalf("point %s: %v\n%s", at, err, out)
	}
	return true
}
