package shell_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// traced is set in the run of these tests that is traced.
const traced = "GATEHOUSE_TRACED"

// event is a call to the kernel that a trace saw, whole, with the program that made it, or became.
type event struct{ pid, program, call string }

func (e event) String() string { return e.program + ": " + e.call }

// failed says whether the call was refused, or never came back.
func (e event) failed() bool { return refused.MatchString(e.call) }

// trace runs tests of this package again under strace and gives the calls that it saw: those asked for, and how processes
// begin.
func trace(t *testing.T, calls string, env []string, args ...string) []event {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("strace is not installed; apt-get install strace")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "trace")
	options := []string{"-f", "--seccomp-bpf", "-qq", "-y", "--decode-pids=pidns", "-s", "4096", "-e", "trace=execve,execveat,dup3,fcntl" + calls, "-o", log}
	cmd := exec.CommandContext(t.Context(), strace, slices.Concat(options, []string{self, "-test.count=1"}, args)...)
	cmd.Env = append(append(os.Environ(), traced+"=1", "GODEBUG=asyncpreemptoff=1"), env...) // strace stops at each signal
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return events(string(b))
}

var (
	traceLine = regexp.MustCompile(`^(\d+) +(.*)\n$`)
	refused   = regexp.MustCompile(`\) += (-1|\?)| <detached \.\.\.>$`)
	resumed   = regexp.MustCompile(`^<\.\.\. \w+ resumed>`)
	overtaken = regexp.MustCompile(`^\+\+\+ superseded by execve in pid (\d+)`)
	// executed finds what an execve or execveat starts, by name or by handle.
	executed = regexp.MustCompile(`^execve(?:at)?\((?:\w+<([^>]*)>(?:\(deleted\))?, )?"([^"]*)", (\[.*?\])`)
	// given finds which open file a process has under which number when it starts a program.
	given = regexp.MustCompile(`^(?:dup3\(\d+<([^>]*)>(?:\(deleted\))?, (\d+)|fcntl\((\d+)<([^>]*)>(?:\(deleted\))?, F_SETFD, 0)`)
	// begun finds the process that one begins, by its number outside of all namespaces.
	begun = regexp.MustCompile(`^(?:clone3?|v?fork)\(.*\) += (\d+)(?: /\* (\d+) in strace's PID NS \*/)?$`)
)

// events are the calls of a trace, in the order in which they came back.
func events(trace string) []event {
	var out []event
	parts := map[string]string{} // calls that have not come back, by process
	for line := range strings.Lines(trace) {
		m := traceLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		pid, call := m[1], m[2]
		if o := overtaken.FindStringSubmatch(call); o != nil {
			parts[pid] = parts[o[1]]
		} else if part, ok := strings.CutSuffix(call, " <unfinished ...>"); ok {
			parts[pid] = part
		} else {
			if r := resumed.FindString(call); r != "" {
				call = parts[pid] + call[len(r):]
			}
			out = append(out, event{pid: pid, call: call})
		}
	}
	attribute(out)
	return out
}

// attribute finds out which program made each call: the last that its process became, else that of the process that began
// it. One that is started by its open file is that file.
func attribute(events []event) {
	parents, programs, files := map[string]string{}, map[string]string{}, map[string]string{}
	for _, e := range events {
		if m := begun.FindStringSubmatch(e.call); m != nil {
			parents[cmp.Or(m[2], m[1])] = e.pid
		}
	}
	for i, e := range events {
		if m := given.FindStringSubmatch(e.call); m != nil {
			files[e.pid+" /proc/self/fd/"+m[2]+m[3]] = m[1] + m[4]
		}
		if m := executed.FindStringSubmatch(e.call); m != nil && !e.failed() {
			programs[e.pid] = cmp.Or(files[e.pid+" "+m[2]], m[2], m[1])
			if strings.Contains(m[3], `"sandbox-exec", "inside"`) {
				programs[e.pid] = runs
			}
		}
		pid := e.pid
		for programs[pid] == "" && parents[pid] != "" {
			pid = parents[pid]
		}
		events[i].program = programs[pid]
	}
}

// runs is the program of the runner itself, in the sandbox.
const runs = "the runner"
