package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"

	"gatehouse/app/provider/vpshost"
)

// open makes a folder that other users can reach, and a host on it whose servers end with the test.
func open(t *testing.T) (*Host, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gatehouse-local-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := reopen(t, dir)
	t.Cleanup(func() {
		h.Close()
		last := reopen(t, dir) // finds what any hub of this test has left running
		if err := last.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h, dir
}

// newID is the id of a server that no other test has, in this process or another one: processes are found by it.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

func reopen(t *testing.T, dir string) *Host {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(Options{
		Dir: filepath.Join(dir, "servers"), Bin: self, Hub: "http://127.0.0.1:1", SMTPAddr: "127.0.0.1:2", MailFrom: "team@example.com",
		Model: Model{BaseURL: "http://127.0.0.1:3", Name: "example", Key: "sk-example"}, Demo: true, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func allocate(t *testing.T, h *Host, id string) {
	t.Helper()
	if err := h.Allocate(t.Context(), vpshost.Spec{ServerID: id, Slug: "bakery"}); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(time.Minute)
	for !ok() {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// up waits for the fake of a server, and returns what it saw and which process it is.
func up(t *testing.T, h *Host, id string, unlike process) (seen, process) {
	t.Helper()
	var s seen
	var r record
	eventually(t, "agentd of "+id+" is up", func() bool {
		var err error
		if r, err = h.record(id); err != nil || r.Process == unlike || !r.Process.alive() {
			return false
		}
		b, err := os.ReadFile(h.path(id, stateDir, "seen.json"))
		return err == nil && json.Unmarshal(b, &s) == nil
	})
	return s, r.Process
}

func TestHost_Install_environment(t *testing.T) {
	t.Parallel()
	id := newID()
	h, _ := open(t)
	allocate(t, h, id)
	if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
		t.Fatal(err)
	}
	s, _ := up(t, h, id, process{})
	if s.Token != "one-time" || s.Key != "" {
		t.Errorf("token %q, key %q reached agentd", s.Token, s.Key)
	}
	for _, want := range []string{
		"AGENTD_HUB=http://127.0.0.1:1", "AGENTD_DEMO=1", "AGENTD_SMTP_ADDR=127.0.0.1:2", "AGENTD_MAIL_FROM=team@example.com",
		"MODEL_BASE_URL=http://127.0.0.1:3", "MODEL_NAME=example", "AGENTD_DATA=" + h.path(id, "data"),
	} {
		if !slices.Contains(s.Env, want) {
			t.Errorf("environment lacks %s: %q", want, s.Env)
		}
	}
	if all := strings.Join(s.Env, "\n"); strings.Contains(all, "sk-example") || strings.Contains(all, "one-time") || strings.Contains(all, "HOME=") {
		t.Errorf("environment holds a secret or something of the hub's own: %q", s.Env)
	}
	if os.Geteuid() == 0 && (s.UID != h.account(0).uid || s.Forbidden != "") {
		t.Errorf("agentd runs as %d and reads %q of the hub's", s.UID, s.Forbidden)
	}
	for _, path := range []string{h.path(id, stateDir), h.path(id, dataDir), h.path(id, proxyDir), h.path(id, proxyDir, keyFile), h.path(id, logFile)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is open to others: %v %v", path, info.Mode(), err)
		}
	}
}

func TestHost_Install_repeatStartsOnce(t *testing.T) {
	t.Parallel()
	id := newID()
	h, _ := open(t)
	allocate(t, h, id)
	for range 3 {
		if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
			t.Fatal(err)
		}
	}
	_, p := up(t, h, id, process{})
	if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: ""}); err != nil {
		t.Fatal(err)
	}
	if _, again := up(t, h, id, process{}); again != p {
		t.Errorf("process %v was replaced by %v", p, again)
	}
}

// TestHost_seed: the owner's first key is there for the first start, for agentd's user alone, and never left again.
func TestHost_seed(t *testing.T) {
	t.Parallel()
	id := newID()
	h, _ := open(t)
	allocate(t, h, id)
	path := h.path(id, stateDir, seedFile)
	for _, text := range []string{"first", "second"} {
		if _, err := h.seed(id, text); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "first" {
			t.Fatalf("after %q there is %q, %v", text, b, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if owner := info.Sys().(*syscall.Stat_t); os.Geteuid() == 0 && int(owner.Uid) != h.account(0).uid {
		t.Errorf("it belongs to %d", owner.Uid)
	}
	if err := os.Remove(path); err != nil { // as agentd does
		t.Fatal(err)
	}
	again := newID()
	allocate(t, h, again)
	if err := h.Install(t.Context(), vpshost.Setup{ServerID: again, Token: "one-time"}); err != nil {
		t.Fatal(err)
	}
	for _, started := range []string{id, again} {
		if _, err := h.seed(started, "later"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(h.path(started, stateDir, seedFile)); !os.IsNotExist(err) {
			t.Errorf("a seed was left again: %v", err)
		}
	}
}

// TestHost_printCodes: the terminal shows what no browser gets. Whose browser gets the recovery code, for them it makes none.
func TestHost_printCodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seed            string
		enrol, recovery bool
	}{
		"no browser":               {"", true, true},
		"a browser without boxes":  {`{"spki":"k","kind":"browser","label":"l","address":"a"}`, false, true},
		"a browser with a box key": {`{"spki":"k","kind":"browser","box":{"box_key":"b","signature":{}}}`, false, false},
	} {
		id := newID()
		h, _ := open(t)
		var got []Codes
		h.opt.Print = func(c Codes) { got = append(got, c) }
		allocate(t, h, id)
		if c.seed != "" {
			if _, err := h.seed(id, c.seed); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
			t.Fatal(err)
		}
		any := c.enrol || c.recovery
		if len(got) > 1 || (len(got) == 1) != any || any && ((got[0].Enrol != "") != c.enrol || (got[0].Recovery != "") != c.recovery) {
			t.Errorf("%s: printed %+v", name, got)
		}
	}
}

func TestHost_killedAgentdComesBack(t *testing.T) {
	t.Parallel()
	id := newID()
	h, _ := open(t)
	allocate(t, h, id)
	if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
		t.Fatal(err)
	}
	_, p := up(t, h, id, process{})
	if err := unix.Kill(p.PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	up(t, h, id, p)
}

func TestHost_Adopt(t *testing.T) {
	t.Parallel()
	first, dir := open(t)
	for _, id := range []string{"lives", "died", "lost", "never-started"} {
		allocate(t, first, id)
	}
	procs := map[string]process{}
	for _, id := range []string{"lives", "died", "lost"} {
		if err := first.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
			t.Fatal(err)
		}
		_, procs[id] = up(t, first, id, process{})
	}
	first.Close() // as if the hub had been killed
	if err := unix.Kill(procs["died"].PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r, err := first.record("lost") // the hub died before it wrote down what it had started
	if err != nil {
		t.Fatal(err)
	}
	r.Process = process{}
	if err := first.save(r); err != nil {
		t.Fatal(err)
	}

	second := reopen(t, dir)
	if err := second.Adopt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, p := up(t, second, "lives", process{}); p != procs["lives"] {
		t.Errorf("the one that lives was replaced: %v, now %v", procs["lives"], p)
	}
	if _, p := up(t, second, "lost", process{}); p != procs["lost"] {
		t.Errorf("the one that was not written down was replaced: %v, now %v", procs["lost"], p)
	}
	up(t, second, "died", procs["died"])
	if r, err := second.record("never-started"); err != nil || r.Process.alive() {
		t.Errorf("a server whose order has not come that far was started: %v %v", r, err)
	}

	// An adopted process is watched although it is no child.
	if err := unix.Kill(procs["lives"].PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	up(t, second, "lives", procs["lives"])
}

func TestHost_Stop_endsAllAndTheNextHubStartsThem(t *testing.T) {
	t.Parallel()
	id := newID()
	h, dir := open(t)
	var procs []process
	for _, id := range []string{id, newID()} {
		allocate(t, h, id)
		if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
			t.Fatal(err)
		}
		_, p := up(t, h, id, process{})
		procs = append(procs, p)
	}
	if err := h.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range procs {
		if p.alive() {
			t.Errorf("process %v outlived Stop", p)
		}
	}
	lines, err := h.LastLog(t.Context(), id, 1)
	if err != nil || len(lines) != 1 || lines[0] != "fake agentd ends" {
		t.Errorf("last line of the log %q, %v", lines, err)
	}
	next := reopen(t, dir)
	if err := next.Adopt(t.Context()); err != nil {
		t.Fatal(err)
	}
	up(t, next, id, procs[0])
}

func TestHost_hardFaultStaysDown(t *testing.T) {
	t.Parallel()
	id := newID()
	h, _ := open(t)
	allocate(t, h, id)
	if err := os.WriteFile(h.path(id, dataDir, "fault"), []byte("78"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the watch ends", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return !h.watched[agent.nameOf(id)]
	})
	before, err := h.record(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(h.path(id, dataDir, "fault")); err != nil {
		t.Fatal(err)
	}
	if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: ""}); err != nil { // retry from here
		t.Fatal(err)
	}
	up(t, h, id, before.Process)
}

func TestHost_Allocate_fiveAtMost(t *testing.T) {
	t.Parallel()
	h, _ := open(t)
	for i := range MaxServers {
		allocate(t, h, fmt.Sprint("s", i))
	}
	err := h.Allocate(t.Context(), vpshost.Spec{ServerID: "one-more"})
	var refused *vpshost.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(refused.Reason, "5 servers") {
		t.Fatalf("sixth server: %v", err)
	}
	allocate(t, h, "s3") // a repeat is none more
	if err := h.Release(t.Context(), "s3"); err != nil {
		t.Fatal(err)
	}
	if err := h.Release(t.Context(), "s3"); err != nil {
		t.Fatalf("released twice: %v", err)
	}
	allocate(t, h, "one-more")
	slots := map[int]bool{}
	all, err := h.records()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		slots[r.Slot] = true
	}
	if len(slots) != MaxServers {
		t.Errorf("servers share a user: %v", all)
	}
}

func TestHost_Release_keepsWhatWasStarted(t *testing.T) {
	t.Parallel()
	id := newID()
	h, _ := open(t)
	allocate(t, h, id)
	if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
		t.Fatal(err)
	}
	if err := h.Release(t.Context(), id); err == nil {
		t.Fatal("a server that was started was removed")
	}
}

func TestHost_Allocate_strangeID(t *testing.T) {
	t.Parallel()
	h, _ := open(t)
	if err := h.Allocate(t.Context(), vpshost.Spec{ServerID: "../out"}); err == nil {
		t.Fatal("a server was made outside its place")
	}
}

func TestAccountOf(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for slot := range MaxServers {
		a := accountOf("/one/place", slot)
		if a.uid < firstUID || a.uid > lastUID || a.uid != a.gid || seen[a.uid] {
			t.Errorf("slot %d: %+v", slot, a)
		}
		seen[a.uid] = true
	}
	if seen[accountOf("/another/place", 0).uid] {
		t.Error("two places share a user")
	}
}

func TestReachable(t *testing.T) {
	t.Parallel()
	_, dir := open(t)
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		dir: true, filepath.Join(dir, "not", "there", "yet"): true, closed: false, filepath.Join(closed, "below"): false,
	} {
		if got := reachable(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestHost_moveAway(t *testing.T) {
	t.Parallel()
	h, dir := open(t)
	away, wanted := filepath.Join(dir, "away"), filepath.Join(dir, "home", "servers")
	for range 2 { // the second hub finds the link of the first
		h.opt.Dir = wanted
		if err := h.moveAway(away); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(wanted); err != nil || to != away || h.opt.Dir != away {
			t.Fatalf("link to %q, servers at %q, %v", to, h.opt.Dir, err)
		}
	}
	h.opt.Dir = filepath.Join(dir, "servers") // a folder of that name stands there
	if err := h.moveAway(away); err == nil {
		t.Error("a folder in the way was passed over")
	}
}
