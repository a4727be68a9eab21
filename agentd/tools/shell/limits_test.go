package shell_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/tools/shell"
	"gatehouse/agentd/wire"
)

// TestRun_stopsAtOnce: by the clock of the stopped process itself, it ran few programs after the stop: so few take less than
// 100 ms. A busy machine may hold up the test itself, so it gets a few tries.
func TestRun_stopsAtOnce(t *testing.T) {
	t.Parallel()
	const few = 20
	var late []int
	for range 20 {
		n := stop(t)
		if late = append(late, n); n <= few {
			return
		}
	}
	t.Errorf("after the stop it ran %v programs", late)
}

// stop ends a command that would go on forever and answers how many programs it ran after that.
func stop(t *testing.T) int {
	t.Helper()
	w := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	call := w.Call(t, "shell", command("while true; do date +%s%N >> ticks; done"))
	go func() {
		defer close(ended)
		o, err := w.Gate.Gate.Do(ctx, call, func(bool) {})
		if err == nil && o.State == wire.ToolDone {
			t.Errorf("%+v", o)
		}
	}()
	until(t, func() bool {
		info, err := os.Stat(filepath.Join(w.Data, "ticks"))
		return err == nil && info.Size() > 100
	})
	stopped := time.Now()
	cancel()
	<-ended
	n := 0
	for _, tick := range strings.Fields(w.Read(t, "ticks")) {
		at, err := time.ParseDuration(tick + "ns")
		if err != nil {
			t.Fatal(err)
		}
		if time.Unix(0, at.Nanoseconds()).After(stopped) {
			n++
		}
	}
	return n
}

// until waits for a condition.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it did not happen")
		}
	}
}

// TestRun_bigOutput: 10 MB arrive, the model reads the beginning, the whole is kept.
func TestRun_bigOutput(t *testing.T) {
	t.Parallel()
	w := open(t)
	call := w.Call(t, "shell", command("yes 0123456 | head -c 10000000"))
	o, err := w.Gate.Gate.Do(t.Context(), call, func(bool) {})
	if err != nil || o.State != wire.ToolDone || len(o.Text) > 70<<10 || !strings.Contains(o.Text, "10000000 bytes") {
		t.Fatalf("%s %v %.200s", o.State, err, o.Text)
	}
	info, err := os.Stat(filepath.Join(w.State, "results", call.ID+".txt"))
	if err != nil || info.Size() != 10_000_000 {
		t.Errorf("kept %v, %v", info, err)
	}
}

// TestRun_flood: what prints without end is stopped, and little of it is kept.
func TestRun_flood(t *testing.T) {
	t.Parallel()
	w := open(t)
	o := w.Do(t, "shell", command("yes"))
	if o.State != wire.ToolFailed || !strings.Contains(o.Text, "printed more than") || len(o.Text) > 8000 {
		t.Errorf("%s %.300s", o.State, o.Text)
	}
}

func TestRun_noPermit(t *testing.T) {
	t.Parallel()
	w := open(t)
	box := openBox(t, w)
	if _, err := shell.New(w.Root, box).Run(t.Context(), gate.Permit{}, []byte(`{"command":"touch x"}`)); err == nil || w.Has("x") {
		t.Error("ran without a permit")
	}
}

// TestNoShell runs this package's tests again under strace: no shell is ever executed, be it as what a script names in its
// first line. Left out are the test that asks bash what is right, and those that are about the clock or another user. The
// others run, one of six of them with one of ten cases, in the long run (GATEHOUSE_SOAK) all with all, and with the corpus of
// harmless commands.
func TestNoShell(t *testing.T) {
	t.Parallel()
	if raceOn {
		t.Skip("what runs inside is the same program; the plain run does this")
	}
	if os.Getenv(traced) != "" {
		t.Skip("this is the traced run")
	}
	skip := "TestNoShell|TestAsNormalUser|TestRun_asBash|TestRun_stopsAtOnce|TestGreen_reachesNothing"
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		skip += "|TestGreen"
	}
	n := 0
	for _, e := range trace(t, "", []string{sampled + "=10"}, inner(t, 6, skip)) {
		if !strings.HasPrefix(e.call, "execve") || e.failed() {
			continue
		}
		if n++; isShell(e.program) || strings.HasPrefix(e.program, "/proc/self/fd/") { // or nobody knows what it was
			t.Errorf("a shell ran: %s", e)
		}
	}
	if n < 60 {
		t.Errorf("only %d programs were seen", n)
	}
}

// isShell says whether a program is a shell, or a script for one.
func isShell(program string) bool {
	if shells[filepath.Base(program)] {
		return true
	}
	f, err := os.Open(program)
	if err != nil {
		return false // it was a test's, and is gone
	}
	defer f.Close()
	first := make([]byte, 256)
	n, _ := io.ReadFull(f, first) // a shorter one is read as far as it goes
	line, _, _ := strings.Cut(string(first[:n]), "\n")
	line, script := strings.CutPrefix(line, "#!")
	return script && slices.ContainsFunc(strings.Fields(line), func(w string) bool { return shells[filepath.Base(w)] })
}

var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "zsh": true, "busybox": true, "ash": true, "ksh": true, "mksh": true, "fish": true}

// TestRun_scripts: programs of the machine that are scripts for a shell do not run, also behind another program.
func TestRun_scripts(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Write(t, map[string]string{"a.txt": "x"})
	found := false
	for _, name := range some(t, []string{"zgrep", "zless", "zdiff", "ldd", "zmore", "gzexe", "xzgrep", "bzgrep"}) {
		b, err := os.ReadFile("/usr/bin/" + name)
		if err != nil || !strings.HasPrefix(string(b), "#!") {
			continue
		}
		found = true
		for _, c := range some(t, []string{name + " x a.txt", "timeout 5 " + name + " x a.txt", "env " + name + " a.txt", "find a.txt -exec " + name + " x {} \\;", "ls a.txt | xargs " + name}) {
			if o := w.Do(t, "shell", command(c)); !strings.Contains(o.Text, "no shell is run") {
				t.Errorf("%q: %s %q", c, o.State, o.Text)
			}
		}
	}
	if !found {
		t.Skip("no script among the programs of this machine")
	}
}
