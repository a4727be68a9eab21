package agentd

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/wire"
)

// usage measures what the machine did between two heartbeats. Its sources are counters that only grow; one that fell was
// reset, by a restart of the machine or a removed interface, and measures nothing until the next heartbeat.
type usage struct {
	root string // where the kernel's files are; "/" except in tests

	mu   sync.Mutex
	last counters
}

// counters are the readings of one moment. Each part says whether it could be read.
type counters struct {
	at         time.Time // monotonic
	cpu        time.Duration
	in, out    int64
	cpuOK, net bool
}

// leastApart is how far two readings must be apart: a heartbeat that a new link sends at once measures too short a time.
const leastApart = time.Second

// measure fills in what can be measured since the heartbeat before.
func (u *usage) measure(h *wire.Heartbeat, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	was, is := u.last, u.read(now)
	apart := is.at.Sub(was.at)
	if !was.at.IsZero() && apart < leastApart {
		return
	}
	u.last = is
	if was.at.IsZero() {
		return
	}
	if was.cpuOK && is.cpuOK && is.cpu >= was.cpu && h.Cores > 0 {
		share := float64(is.cpu-was.cpu) / float64(apart) / float64(h.Cores)
		share = math.Round(min(share, 1)*1000) / 1000
		h.CPU = &share
	}
	if was.net && is.net && is.in >= was.in && is.out >= was.out {
		in, out := perSecond(is.in-was.in, apart), perSecond(is.out-was.out, apart)
		h.NetIn, h.NetOut = &in, &out
	}
}

func perSecond(n int64, in time.Duration) int64 { return int64(float64(n) / in.Seconds()) }

func (u *usage) read(now time.Time) counters {
	c := counters{at: now}
	c.cpu, c.cpuOK = u.cpuTime()
	c.in, c.out, c.net = u.traffic()
	return c
}

// cpuTime is how long the cores were busy since the machine started. /proc/stat is hidden where agentd sees processes only,
// as its systemd unit has it; the root of the control groups counts the same.
func (u *usage) cpuTime() (time.Duration, bool) {
	if raw, err := os.ReadFile(filepath.Join(u.root, "proc/stat")); err == nil {
		if d, ok := statTime(string(raw)); ok {
			return d, true
		}
	}
	raw, err := os.ReadFile(filepath.Join(u.root, "sys/fs/cgroup/cpu.stat"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(raw)) {
		var us int64
		if n, _ := fmt.Sscanf(line, "usage_usec %d", &us); n == 1 {
			return time.Duration(us) * time.Microsecond, true
		}
	}
	return 0, false
}

// tick is the unit of /proc/stat: a hundredth of a second on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// statTime adds up the busy columns of the first line of /proc/stat: all except idle, waiting for disks, and guests, which
// stand in user time already.
func statTime(stat string) (busy time.Duration, ok bool) {
	line, _, _ := strings.Cut(stat, "\n")
	f := strings.Fields(line)
	if len(f) < 9 || f[0] != "cpu" {
		return 0, false
	}
	for _, i := range []int{1, 2, 3, 6, 7, 8} {
		n, err := strconv.ParseInt(f[i], 10, 64)
		if err != nil {
			return 0, false
		}
		busy += time.Duration(n) * tick
	}
	return busy, true
}

// traffic adds up the bytes of all interfaces except loopback. Bridges and the near ends of containers' cables are left out:
// what passes them passes a real interface too, or never leaves the machine.
func (u *usage) traffic() (in, out int64, ok bool) {
	raw, err := os.ReadFile(filepath.Join(u.root, "proc/self/net/dev"))
	if err != nil {
		return 0, 0, false
	}
	for line := range strings.Lines(string(raw)) {
		name, figures, found := strings.Cut(line, ":")
		f := strings.Fields(figures)
		if !found || len(f) < 9 || inner(strings.TrimSpace(name)) {
			continue
		}
		received, err1 := strconv.ParseInt(f[0], 10, 64)
		sent, err2 := strconv.ParseInt(f[8], 10, 64)
		if err1 != nil || err2 != nil {
			return 0, 0, false
		}
		in, out, ok = in+received, out+sent, true
	}
	return in, out, ok
}

// inner says whether an interface stays inside the machine.
func inner(name string) bool {
	for _, prefix := range []string{"lo", "veth", "docker", "br-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
