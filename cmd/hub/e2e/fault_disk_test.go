package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestDiskFull lets no file of agentd grow any more, which is what a full disk is to it: no tool starts, reading works,
// its log says what is wrong in words, and with room again everything goes on by itself in the same process.
func TestDiskFull(t *testing.T) {
	h, c := parallelHub(t)
	question := c.asked(c.say("dispatcher", "Delete the old temporary files"))
	t.Cleanup(func() {
		if t.Failed() {
			all := lines(t, h.server("agentd.log"))
			t.Logf("agentd's last lines:\n%s", strings.Join(all[max(0, len(all)-20):], ""))
		}
	})
	before, pid := len(h.temps(t)), h.agentd(t)
	restore := limitFiles(t, pid, largest(t, h.server("state", "agentd.db"), h.server("state", "agentd.db-wal")))

	c.allow(question.ID)
	waiting := c.say("it-admin", "Run `touch made-while-full.txt`")
	until(t, "agentd says that its disk is full", func() bool {
		return strings.Contains(strings.ToLower(strings.Join(lines(t, h.server("agentd.log")), "")), "no room left on the disk")
	})
	if rs := c.receipts(question.RootRunID); count(rs, "call.started", "file_delete") != 0 || len(h.temps(t)) != before {
		t.Errorf("with a full disk a tool started: %v", types(rs))
	}
	if _, err := os.Stat(h.data("made-while-full.txt")); !os.IsNotExist(err) {
		t.Errorf("with a full disk a command ran: %v", err)
	}
	unwanted := c.say("it-admin", "Run `touch made-after-stop.txt`")
	c.want(http.StatusAccepted, http.MethodPost, "/runs/"+unwanted+"/cancel", nil, nil) // whether or not there was room for it
	restore()
	for _, run := range []string{question.RootRunID, waiting} {
		if end := c.end(run); end.final == nil {
			t.Errorf("with room again the run ended with %v", end.tail())
		}
	}
	if end := c.end(unwanted); end.err == nil || end.err.Type != "stopped" {
		t.Errorf("what was stopped while the disk was full ended with %v", end.tail())
	}
	if _, err := os.Stat(h.data("made-after-stop.txt")); !os.IsNotExist(err) {
		t.Errorf("what was stopped while the disk was full ran: %v", err)
	}
	if rs := c.receipts(question.RootRunID); len(h.temps(t)) != 0 || count(rs, "call.started", "file_delete") != 1 {
		t.Errorf("%d files are left: %v", len(h.temps(t)), types(rs))
	}
	if _, err := os.Stat(h.data("made-while-full.txt")); err != nil {
		t.Error(err)
	}
	if h.agentd(t) != pid {
		t.Error("agentd had to be started anew")
	}
}

func largest(t *testing.T, files ...string) (most int64) {
	t.Helper()
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, info.Size())
	}
	return most
}

// limitFiles lets no file of a process grow beyond n bytes, until restore is called.
func limitFiles(t *testing.T, pid int, n int64) (restore func()) {
	t.Helper()
	prlimit(t, pid, strconv.FormatInt(n, 10)+":")
	return func() { t.Helper(); prlimit(t, pid, "unlimited:") }
}

// prlimit changes the soft limit as the user whose process it is: being root is not enough everywhere.
func prlimit(t *testing.T, pid int, fsize string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "prlimit", "--pid", strconv.Itoa(pid), "--fsize="+fsize)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: userOf(t, pid)}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("prlimit: %v\n%s", err, out)
	}
}

// userOf is the user that a process runs as. The owner of its files in /proc may be another: agentd hides its memory.
func userOf(t *testing.T, pid int) *syscall.Credential {
	t.Helper()
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	var c syscall.Credential
	for line := range strings.Lines(string(b)) {
		_, _ = fmt.Sscanf(line, "Uid:\t%d", &c.Uid) // other lines do not fit
		_, _ = fmt.Sscanf(line, "Gid:\t%d", &c.Gid)
	}
	return &c
}
