package story

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestDev is `hub dev` beside itself: what a newcomer does by mistake is answered in words and leaves all as it was, and
// what was made is there again the next time.
func TestDev(t *testing.T) {
	h, c := e2e.Start(t, e2e.OwnPostgres)
	t.Run("again on the same data", func(t *testing.T) {
		wantRefused(h, t, h.Dir, e2e.FreeAddress(t), "already running with this data at "+h.Demo.HubURL, "dev")
	})
	t.Run("on the same port", func(t *testing.T) { samePort(t, h) })
	t.Run("reset while it runs", func(t *testing.T) {
		wantRefused(h, t, h.Dir, h.Addr, "already running with this data at "+h.Demo.HubURL, "dev", "reset")
	})
	t.Run("code", func(t *testing.T) { printedStaffCode(t, h) })
	question := c.Asked(c.Say("dispatcher", "Delete the old temporary files"))
	server, password := h.Demo.ServerID, h.Demo.Customer.Password
	h.Kill(t)
	t.Run("reset after a crash", func(t *testing.T) {
		wantRefused(h, t, h.Dir, h.Addr, "a hub that was killed left Postgres and the servers running", "dev", "reset")
	})
	h.Start(t)
	h.Stop(t)
	h.WantNoProcess(t)
	h.Start(t)
	if h.Demo.ServerID != server || h.Demo.Customer.Password != password {
		t.Errorf("the second start made another demo: %+v", h.Demo)
	}
	c.AwaitLink()
	c.WantUnchanged(question)
}

// dev runs `hub dev` with that data and address until it ends by itself, and gives what it said.
func dev(h *e2e.Hub, t *testing.T, dir, addr string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(e2e.Programs(t), "hub"), args...)
	cmd.Env = append(os.Environ(), "GATEHOUSE_DIR="+dir, "HUB_ADDR="+addr, "AGENTD_BIN="+filepath.Join(e2e.Programs(t), "agentd"))
	cmd.Stdin = strings.NewReader("yes\n")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// wantRefused fails unless it ends with an error that says so, and the hub goes on.
func wantRefused(h *e2e.Hub, t *testing.T, dir, addr, says string, args ...string) {
	t.Helper()
	if out, err := dev(h, t, dir, addr, args...); err == nil || !strings.Contains(out, says) {
		t.Errorf("hub %v: %v\n%s\nwant words about: %s", args, err, out, says)
	}
	if _, err := os.Stat(filepath.Join(h.Dir, "demo.json")); err != nil {
		t.Errorf("the data was touched: %v", err)
	}
}

// samePort: another folder, the same address. The line to type is said before anything is made.
func samePort(t *testing.T, h *e2e.Hub) {
	dir := filepath.Join(filepath.Dir(h.Dir), "other")
	wantRefused(h, t, dir, h.Addr, "HUB_ADDR=127.0.0.1:8081 make run", "dev")
	if made, err := filepath.Glob(filepath.Join(dir, "postgres", "*")); err != nil || len(made) > 0 {
		t.Errorf("it made %v, %v", made, err)
	}
}

// printedStaffCode: the code that `make demo-code` prints opens the console.
func printedStaffCode(t *testing.T, h *e2e.Hub) {
	p := h.NewPage(t)
	p.StaffPassword()
	out, err := dev(h, t, h.Dir, h.Addr, "dev", "code")
	if err != nil || !strings.Contains(out, h.Demo.Staff.Email) {
		t.Fatalf("hub dev code: %v\n%s", err, out)
	}
	p.Write("[name=code]", strings.Fields(out)[0])
	p.Click("main form button[type=submit]")
	p.Until("the console", `location.pathname === "/admin"`)
}
