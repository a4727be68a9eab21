package local

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"gatehouse/app/provider/vpshost"

	"golang.org/x/sys/unix"
)

// proxyUp waits for the fake proxy of a server, and returns what it saw and which process it is.
func proxyUp(t *testing.T, h *Host, id string, unlike process) (seen, process) {
	t.Helper()
	var s seen
	var r record
	eventually(t, "the model proxy of "+id+" is up", func() bool {
		var err error
		if r, err = h.record(id); err != nil || r.Proxy == unlike || !r.Proxy.alive() {
			return false
		}
		b, err := os.ReadFile(h.path(id, proxyDir, "seen.json"))
		return err == nil && json.Unmarshal(b, &s) == nil
	})
	return s, r.Proxy
}

// TestProxy_apart: the key is the proxy's alone, the token is both's, and as root neither can look at the other.
func TestProxy_apart(t *testing.T) {
	t.Parallel()
	id := newID()
	h, _ := open(t)
	allocate(t, h, id)
	if err := os.WriteFile(h.path(id, stateDir, keyFile), []byte("left by an earlier version"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
		t.Fatal(err)
	}
	a, _ := up(t, h, id, process{})
	p, _ := proxyUp(t, h, id, process{})
	if p.Key != "sk-example" || a.Key != "" {
		t.Errorf("the proxy has the key %q, agentd %q", p.Key, a.Key)
	}
	if _, err := os.Stat(h.path(id, stateDir, keyFile)); !os.IsNotExist(err) {
		t.Errorf("a key stays with agentd: %v", err)
	}
	if len(p.Token) < 20 || a.Show != p.Token {
		t.Errorf("agentd shows %q, the proxy wants %q", a.Show, p.Token)
	}
	socket := h.path(id, runDir, "proxy.sock")
	if !slices.Contains(a.Env, "AGENTD_PROXY_SOCKET="+socket) || !slices.Contains(p.Env, "AGENTD_PROXY_SOCKET="+socket) {
		t.Errorf("they meet at %q and %q", a.Env, p.Env)
	}
	if all := strings.Join(p.Env, "\n"); strings.Contains(all, "sk-example") || strings.Contains(all, "HOME=") || strings.Contains(all, "AGENTD_DATA") {
		t.Errorf("the proxy's environment holds %q", all)
	}
	if os.Geteuid() == 0 && (p.UID == a.UID || p.UID != proxyAccountOf(h.opt.Dir, 0).uid || p.Forbidden != "") {
		t.Errorf("agentd runs as %d, the proxy as %d and sees %q", a.UID, p.UID, p.Forbidden)
	}
}

// TestProxy_killed comes back by itself, with the same token, and an agentd beside it runs on.
func TestProxy_killed(t *testing.T) {
	t.Parallel()
	id := newID()
	h, dir := open(t)
	allocate(t, h, id)
	if err := h.Install(t.Context(), vpshost.Setup{ServerID: id, Token: "one-time"}); err != nil {
		t.Fatal(err)
	}
	_, agentd := up(t, h, id, process{})
	before, p := proxyUp(t, h, id, process{})
	if err := unix.Kill(p.PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	after, again := proxyUp(t, h, id, p)
	if _, now := up(t, h, id, process{}); now != agentd || after.Token != before.Token {
		t.Errorf("agentd %v became %v, the token %q became %q", agentd, now, before.Token, after.Token)
	}
	h.Close() // as if the hub had been killed
	next := reopen(t, dir)
	if err := next.Adopt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, now := proxyUp(t, next, id, process{}); now != again {
		t.Errorf("the proxy that lives was replaced: %v, now %v", again, now)
	}
	if err := next.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again.alive() || agentd.alive() {
		t.Error("a process outlived Stop")
	}
}

func TestProxyAccountOf(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"/one/place", "/another/place", "/var/lib/gatehouse/abc/servers", "/x"} {
		seen := map[int]bool{}
		for slot := range MaxServers {
			a, p := accountOf(dir, slot), proxyAccountOf(dir, slot)
			if p.uid < firstUID || p.uid > lastUID || seen[a.uid] || seen[p.uid] || a.uid == p.uid {
				t.Errorf("%s slot %d: agentd %d, proxy %d", dir, slot, a.uid, p.uid)
			}
			seen[a.uid], seen[p.uid] = true, true
		}
	}
}
