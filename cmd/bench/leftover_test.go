package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gatehouse/cmd/bench/bare"
	"gatehouse/cmd/hub/rig"
)

// asBench names the variable that makes this test program be the bench.
const asBench = "GATEHOUSE_TEST_AS_BENCH"

// shared owns the shipped programs that the tests run.
var shared = &bench{out: io.Discard}

func TestMain(m *testing.M) {
	if os.Getenv(asBench)+os.Getenv(bare.Kind) != "" {
		main()
		return
	}
	code := m.Run()
	if err := shared.close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// programs builds the shipped programs once.
var programs = sync.OnceValue(func() error { return shared.programs() })

// TestBench_leavesNothing: a bench that is told to end, or is killed, while its programs run leaves none of them behind,
// and the next bench deletes what a killed one could not. It is killed, and with GATEHOUSE_SOAK another one is told to end.
func TestBench_leavesNothing(t *testing.T) {
	if err := programs(); err != nil {
		t.Fatal(err)
	}
	signals := []syscall.Signal{syscall.SIGKILL}
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		signals = append(signals, syscall.SIGTERM)
	}
	for _, sig := range signals {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			b, dir, started := startBench(t)
			if err := b.Signal(sig); err != nil {
				t.Fatal(err)
			}
			<-b.ended
			if !rig.Until(t.Context(), func() bool { return !slices.ContainsFunc(started, process.runs) }) {
				t.Errorf("still running: %v", started)
			}
			if sig == syscall.SIGKILL {
				if err := sweep(t.Context(), filepath.Dir(dir)); err != nil {
					t.Error(err)
				}
			}
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("%s is still there: %v", dir, err)
			}
		})
	}
}

// TestFolder_neverAbandoned: a bench that looks while another one makes its folder does not take it for an abandoned one.
func TestFolder_neverAbandoned(t *testing.T) {
	t.Parallel()
	parent, ctx := t.TempDir(), t.Context()
	done, seen := make(chan struct{}), make(chan []string)
	go func() {
		var taken []string
		for {
			select {
			case <-done:
				seen <- taken
				return
			default:
			}
			dirs, _ := filepath.Glob(filepath.Join(parent, folders)) // the pattern is well formed
			for _, dir := range dirs {
				if !abandoned(dir) {
					continue
				}
				if _, err := os.Stat(dir); err == nil { // it is not deleted, so its bench runs
					taken = append(taken, dir)
				}
			}
		}
	}()
	b := &bench{out: io.Discard}
	for range 200 {
		dir, err := b.folder(parent)
		if err != nil {
			t.Error(err)
			break
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		for _, f := range b.owned {
			_ = f.Close()
		}
		b.owned = nil
	}
	close(done)
	if taken := <-seen; len(taken) > 0 {
		t.Errorf("%d of them were taken for abandoned", len(taken))
	}
	if err := sweep(ctx, parent); err != nil {
		t.Error(err)
	}
}

// startBench runs the bench's smallest stage and waits until all kinds of its programs run. It gives the stage's folder
// and everything that runs below the bench.
func startBench(t *testing.T) (b *running, dir string, started []process) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0], "-quick", "-bin", shared.bin, "-run", "^agentd_idle_rss_mb$") //nolint:noctx // the test ends it
	cmd.Env = append(os.Environ(), asBench+"=1", "GATEHOUSE_DIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, ended := context.WithCancel(t.Context())
	b = &running{cmd.Process, ctx.Done()}
	go func() {
		_ = cmd.Wait() // it ends with an error
		ended()
	}()
	stage := regexp.MustCompile(`-D (\S*/gatehouse-bench-\d+)/`)
	complete := func() bool {
		started = below(cmd.Process.Pid)
		all := fmt.Sprint(started)
		if m := stage.FindStringSubmatch(all); m != nil {
			dir = m[1]
		}
		return dir != "" && strings.Contains(all, "hub dev") && strings.Count(all, "agentd run") == 1 && strings.Contains(all, "llm-proxy")
	}
	if !rig.Until(ctx, complete) {
		t.Fatalf("the bench never ran all its programs, but %v\n%s", started, out.String())
	}
	return b, dir, started
}

// running is a bench as a process of its own.
type running struct {
	*os.Process
	ended <-chan struct{}
}

// process is one that was started, which its number alone does not tell from a later one.
type process struct {
	pid        int
	born, line string
}

func (p process) runs() bool { return born(p.pid) == p.born }

// born is when a process started, "" when it has ended.
func born(pid int) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(raw), ") ")
	f := strings.Fields(rest)
	if err != nil || len(f) < 20 || f[0] == "Z" {
		return ""
	}
	return f[19]
}

// below lists every process that top or one of its children started.
func below(top int) []process {
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well formed
	children := map[int][]int{}
	for _, p := range all {
		pid, _ := strconv.Atoi(filepath.Base(p)) // the pattern lets only numbers through
		up := parent(pid)
		children[up] = append(children[up], pid)
	}
	var found []process
	for todo := children[top]; len(todo) > 0; todo = todo[1:] {
		pid := todo[0]
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
		found = append(found, process{pid, born(pid), string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))})
		todo = append(todo, children[pid]...)
	}
	return found
}
