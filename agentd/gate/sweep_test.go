package gate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// TestSweep kills a real process at the fail points of one call, each time they are hit, and starts it again. Whatever the
// moment: the call has run once or not at all, never twice, and ends done, refused or unknown. With GATEHOUSE_SOAK set it
// kills at every point of every call. Otherwise it takes a third of them, such that the first three calls, which pass the
// same points, are killed at each point once between them.
func TestSweep(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "victim")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "failpoint", "-o", bin,
		"./gatetest/victim").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for i, v := range []victim{
		{bin, "act", "red", "allow_once"},
		{bin, "write", "red", "allow_once"},
		{bin, "act", "red", "edit"},
		{bin, "act", "red", "deny"},
		{bin, "act", "yellow", ""},
	} {
		t.Run(v.tool+" "+v.tier+" "+v.answer, func(t *testing.T) {
			t.Parallel()
			v.sweep(t, i)
		})
	}
}

type victim struct{ bin, tool, tier, answer string }

func (v victim) sweep(t *testing.T, nr int) {
	points := v.points(t)
	if len(points) < 7 {
		t.Fatalf("only %v were hit", points)
	}
	whole := os.Getenv("GATEHOUSE_SOAK") != ""
	for i, p := range points {
		if !whole && (i+nr)%3 != 0 {
			continue
		}
		dir := t.TempDir()
		if !v.killed(t, dir, p) {
			t.Errorf("%s was not hit again", p)
		}
		before := effects(t, dir)
		if strings.HasPrefix(p, "ran:") || strings.HasPrefix(p, "settled:") {
			v.killed(t, dir, "committing:1") // and again, while it recovers
		}
		v.check(t, p, dir, before)
	}
}

// points lists every hit of an undisturbed run, as name:k.
func (v victim) points(t *testing.T) []string {
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	v.ends(t, dir, "FAILPOINT_TRACE="+trace)
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	var points []string
	hits := map[string]int{}
	for name := range strings.FieldsSeq(string(b)) {
		hits[name]++
		points = append(points, fmt.Sprintf("%s:%d", name, hits[name]))
	}
	return points
}

func (v victim) command(t *testing.T, dir string, env ...string) (out []byte, err error) {
	cmd := exec.CommandContext(t.Context(), v.bin, "-dir", dir, "-tool", v.tool, "-tier", v.tier, "-answer", v.answer)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err = cmd.Output()
	if stderr.Len() > 0 {
		t.Logf("victim: %s", &stderr)
	}
	return out, err
}

// killed runs the victim to the point, where the kernel ends it; false when it never came there.
func (v victim) killed(t *testing.T, dir, point string) bool {
	_, err := v.command(t, dir, "FAILPOINT="+point)
	var exit *exec.ExitError
	if err == nil {
		return false
	}
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("%s: %v", point, err)
	}
	return true
}

func (v victim) ends(t *testing.T, dir string, env ...string) gate.Outcome {
	b, err := v.command(t, dir, env...)
	if err != nil {
		t.Fatal(err)
	}
	var out gate.Outcome
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func effects(t *testing.T, dir string) int {
	all, err := (&gatetest.Ledger{Path: filepath.Join(dir, "ledger")}).Effects()
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// check starts the victim again and looks at what became of its call.
func (v victim) check(t *testing.T, point, dir string, before int) {
	out := v.ends(t, dir)
	after := effects(t, dir)
	want := map[string][]wire.ToolState{
		"deny": {wire.ToolDenied}, "edit": {wire.ToolDone, wire.ToolUnknown}, "allow_once": {
			wire.ToolDone,
			wire.ToolUnknown,
		}, "": {wire.ToolDone, wire.ToolUnknown},
	}[v.answer]
	switch {
	case !slices.Contains(want, out.State):
		t.Errorf("killed at %s: ended %s", point, out.State)
	case after > 1, out.State == wire.ToolDone && after != 1, out.State == wire.ToolDenied && after != 0:
		t.Errorf("killed at %s: ended %s after %d effects", point, out.State, after)
	case out.State == wire.ToolUnknown && (after != before || v.tool == "write"):
		t.Errorf("killed at %s: unknown, with %d effects before and %d after", point, before, after)
	}
	v.log(t, point, dir, out)
}

// log checks that the records tell the same story, in the right order.
func (v victim) log(t *testing.T, point, dir string, out gate.Outcome) {
	db, err := store.OpenReader(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was only read
	if _, err := receipt.Verify(t.Context(), db); err != nil {
		t.Errorf("killed at %s: %v", point, err)
	}
	const ends = "SELECT count(*) FROM receipts WHERE type IN ('call.finished', 'call.denied', 'call.unknown')"
	var started, last, asked int
	err = errors.Join(
		db.QueryRowContext(t.Context(), "SELECT count(*) FROM receipts WHERE type = 'call.started'").Scan(&started),
		db.QueryRowContext(t.Context(), ends).Scan(&last),
		db.QueryRowContext(t.Context(), "SELECT count(*) FROM gate_approvals").Scan(&asked),
	)
	if err != nil {
		t.Fatal(err)
	}
	if wantAsked := map[bool]int{true: 1}[v.answer != ""]; last != 1 || asked != wantAsked ||
		(started == 1) != (out.State != wire.ToolDenied) {
		t.Errorf("killed at %s: %d starts, %d ends, %d approvals on record for a call that ended %s", point, started, last, asked, out.State)
	}
}
