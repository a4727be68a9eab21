package fault

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestDiskFull lets no file of agentd grow any more, which is what a full disk is to it: no tool starts, reading works,
// its log says what is wrong in words, and with room again everything goes on by itself in the same process.
func TestDiskFull(t *testing.T) {
	h, c := e2e.Start(t)
	question := c.Asked(c.Say("dispatcher", "Delete the old temporary files"))
	t.Cleanup(func() {
		if t.Failed() {
			all := e2e.Lines(t, h.Server("agentd.log"))
			t.Logf("agentd's last lines:\n%s", strings.Join(all[max(0, len(all)-20):], ""))
		}
	})
	before, pid := len(h.Temps(t)), h.Agentd(t)
	restore := limitFiles(t, pid, largest(t, h.Server("state", "agentd.db"), h.Server("state", "agentd.db-wal")))

	c.Allow(question.ID)
	waiting := c.Say("it-admin", "Run `touch made-while-full.txt`")
	e2e.Until(t, "agentd says that its disk is full", func() bool {
		return strings.Contains(strings.ToLower(strings.Join(e2e.Lines(t, h.Server("agentd.log")), "")), "no room left on the disk")
	})
	if rs := c.Receipts(question.RootRunID); e2e.Count(rs, "call.started", "file_delete") != 0 || len(h.Temps(t)) != before {
		t.Errorf("with a full disk a tool started: %v", e2e.Types(rs))
	}
	if _, err := os.Stat(h.Data("made-while-full.txt")); !os.IsNotExist(err) {
		t.Errorf("with a full disk a command ran: %v", err)
	}
	unwanted := c.Say("it-admin", "Run `touch made-after-stop.txt`")
	c.Want(http.StatusAccepted, http.MethodPost, "/runs/"+unwanted+"/cancel", nil, nil) // whether or not there was room for it
	restore()
	for _, run := range []string{question.RootRunID, waiting} {
		if end := c.End(run); end.Final == nil {
			t.Errorf("with room again the run ended with %v", end.Tail())
		}
	}
	if end := c.End(unwanted); end.Err == nil || end.Err.Type != "stopped" {
		t.Errorf("what was stopped while the disk was full ended with %v", end.Tail())
	}
	if _, err := os.Stat(h.Data("made-after-stop.txt")); !os.IsNotExist(err) {
		t.Errorf("what was stopped while the disk was full ran: %v", err)
	}
	if rs := c.Receipts(question.RootRunID); len(h.Temps(t)) != 0 || e2e.Count(rs, "call.started", "file_delete") != 1 {
		t.Errorf("%d files are left: %v", len(h.Temps(t)), e2e.Types(rs))
	}
	if _, err := os.Stat(h.Data("made-while-full.txt")); err != nil {
		t.Error(err)
	}
	if h.Agentd(t) != pid {
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
