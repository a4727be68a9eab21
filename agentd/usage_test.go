package agentd

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// kernel writes the files that usage reads below a folder.
func kernel(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const netHead = "Inter-|   Receive                                                |  Transmit\n" +
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"

// TestUsage: shares and rates come from two readings; a counter that fell, or that cannot be read, measures nothing.
func TestUsage(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	u, at := &usage{root: root}, time.Now()
	beat := func(later time.Duration) wire.Heartbeat {
		at = at.Add(later)
		h := wire.Heartbeat{Cores: 2}
		u.measure(&h, at)
		return h
	}
	kernel(t, root, map[string]string{
		"proc/stat": "cpu  1000 0 500 90000 700 0 0 0 0 0\ncpu0 1 1 1 1\n",
		"proc/self/net/dev": netHead + "    lo: 999999 1 0 0 0 0 0 0 999999 1 0 0 0 0 0 0\n" +
			"  eth0: 1000 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\nveth1: 7777 1 0 0 0 0 0 0 7777 1 0 0 0 0 0 0\n",
	})
	if h := beat(0); h.CPU != nil || h.NetIn != nil {
		t.Fatalf("the first heartbeat measured %v, %v", h.CPU, h.NetIn)
	}
	kernel(t, root, map[string]string{
		"proc/stat":         "cpu  2500 0 500 91500 700 0 0 0 0 0\n",
		"proc/self/net/dev": netHead + "  eth0: 31000 1 0 0 0 0 0 0 15500 1 0 0 0 0 0 0\n",
	})
	h := beat(30 * time.Second)
	if h.CPU == nil || *h.CPU != 0.25 { // 15 s of work on two cores in 30 s
		t.Errorf("busy share %v, want 0.25", h.CPU)
	}
	if h.NetIn == nil || *h.NetIn != 1000 || *h.NetOut != 500 {
		t.Errorf("network %v, %v", h.NetIn, h.NetOut)
	}
	if h := beat(10 * time.Millisecond); h.CPU != nil {
		t.Errorf("two heartbeats at once measured %v", *h.CPU)
	}
	kernel(t, root, map[string]string{"proc/self/net/dev": netHead + "  eth0: 10 1 0 0 0 0 0 0 10 1 0 0 0 0 0 0\n"})
	if h := beat(30 * time.Second); h.NetIn != nil || h.CPU == nil || *h.CPU != 0 {
		t.Errorf("after a restart: network %v, busy %v", h.NetIn, h.CPU)
	}
}

// TestUsage_hidden: where /proc/stat is hidden, the control groups tell.
func TestUsage_hidden(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	u, now := &usage{root: root}, time.Now()
	first, h := wire.Heartbeat{Cores: 1}, wire.Heartbeat{Cores: 1}
	kernel(t, root, map[string]string{"sys/fs/cgroup/cpu.stat": "usage_usec 1000000\nuser_usec 1\n"})
	u.measure(&first, now)
	kernel(t, root, map[string]string{"sys/fs/cgroup/cpu.stat": "usage_usec 4000000\nuser_usec 1\n"})
	u.measure(&h, now.Add(30*time.Second))
	if h.CPU == nil || *h.CPU != 0.1 || h.NetIn != nil {
		t.Errorf("busy %v, network %v", h.CPU, h.NetIn)
	}
}

// TestUsage_here: the kernel of this machine is understood.
func TestUsage_here(t *testing.T) {
	t.Parallel()
	u := &usage{root: "/"}
	if c := u.read(time.Now()); !c.cpuOK || c.cpu <= 0 || !c.net {
		t.Errorf("read here: %+v", c)
	}
}
