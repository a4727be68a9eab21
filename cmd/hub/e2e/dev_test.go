package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/cmd/hub/rig"
)

// TestDev is `hub dev` beside itself: what a newcomer does by mistake is answered in words and leaves all as it was, and
// what was made is there again the next time.
func TestDev(t *testing.T) {
	h, c := parallelHub(t, ownPostgres)
	t.Run("again on the same data", func(t *testing.T) {
		h.wantRefused(t, h.Dir, freeAddress(t), "already running with this data at "+h.Demo.HubURL, "dev")
	})
	t.Run("on the same port", func(t *testing.T) { samePort(t, h) })
	t.Run("reset while it runs", func(t *testing.T) {
		h.wantRefused(t, h.Dir, h.Addr, "already running with this data at "+h.Demo.HubURL, "dev", "reset")
	})
	t.Run("code", func(t *testing.T) { printedStaffCode(t, h) })
	question := c.asked(c.say("dispatcher", "Delete the old temporary files"))
	server, password := h.Demo.ServerID, h.Demo.Customer.Password
	h.kill(t)
	t.Run("reset after a crash", func(t *testing.T) {
		h.wantRefused(t, h.Dir, h.Addr, "a hub that was killed left Postgres and the servers running", "dev", "reset")
	})
	h.start(t)
	h.stop(t)
	h.wantNoProcess(t)
	h.start(t)
	if h.Demo.ServerID != server || h.Demo.Customer.Password != password {
		t.Errorf("the second start made another demo: %+v", h.Demo)
	}
	c.awaitLink()
	c.wantUnchanged(question)
}

// dev runs `hub dev` with that data and address until it ends by itself, and gives what it said.
func (h *hub) dev(t *testing.T, dir, addr string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "hub"), args...)
	cmd.Env = append(os.Environ(), "GATEHOUSE_DIR="+dir, "HUB_ADDR="+addr, "AGENTD_BIN="+filepath.Join(bin, "agentd"))
	cmd.Stdin = strings.NewReader("yes\n")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// wantRefused fails unless it ends with an error that says so, and the hub goes on.
func (h *hub) wantRefused(t *testing.T, dir, addr, says string, args ...string) {
	t.Helper()
	if out, err := h.dev(t, dir, addr, args...); err == nil || !strings.Contains(out, says) {
		t.Errorf("hub %v: %v\n%s\nwant words about: %s", args, err, out, says)
	}
	if _, err := os.Stat(filepath.Join(h.Dir, "demo.json")); err != nil {
		t.Errorf("the data was touched: %v", err)
	}
}

// samePort: another folder, the same address. The line to type is said before anything is made.
func samePort(t *testing.T, h *hub) {
	dir := filepath.Join(filepath.Dir(h.Dir), "other")
	h.wantRefused(t, dir, h.Addr, "HUB_ADDR=127.0.0.1:8081 make run", "dev")
	if made, err := filepath.Glob(filepath.Join(dir, "postgres", "*")); err != nil || len(made) > 0 {
		t.Errorf("it made %v, %v", made, err)
	}
}

// printedStaffCode: the code that `make demo-code` prints opens the console.
func printedStaffCode(t *testing.T, h *hub) {
	p := h.newPage(t)
	p.staffPassword(h)
	out, err := h.dev(t, h.Dir, h.Addr, "dev", "code")
	if err != nil || !strings.Contains(out, h.Demo.Staff.Email) {
		t.Fatalf("hub dev code: %v\n%s", err, out)
	}
	p.write("[name=code]", strings.Fields(out)[0])
	p.click("main form button[type=submit]")
	p.until("the console", `location.pathname === "/admin"`)
}

// freeAddress is one that nothing listens on, and that nobody else is given while the test runs.
func freeAddress(t *testing.T) string {
	t.Helper()
	p, err := rig.HoldPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Release(); err != nil {
			t.Error(err)
		}
	})
	return p.Addr
}
