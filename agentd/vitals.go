package agentd

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/wire"
)

// heartbeat tells how the machine and the parts are.
func (d *Daemon) heartbeat(ctx context.Context) wire.Heartbeat {
	p := d.sandbox.Protection()
	h := wire.Heartbeat{
		Time: d.now().UTC(), UptimeS: int64(d.now().Sub(d.started).Seconds()), AgentdVersion: d.cfg.Version,
		Cores: runtime.NumCPU(), ShellOff: p.Off, Protection: d.protection(),
	}
	d.machine(&h)
	d.usage.measure(&h, d.now())
	h.Containers = d.containers(ctx)
	d.work(ctx, &h)
	h.UsageAt = d.reports.Known(ctx)
	h.Paused = d.pausedAgents()
	return h
}

// machine fills in load, memory and disk; a figure that the kernel does not give stays 0.
func (d *Daemon) machine(h *wire.Heartbeat) {
	var s unix.Sysinfo_t
	if err := unix.Sysinfo(&s); err == nil {
		unit := int64(s.Unit)
		h.LoadOne = math.Round(float64(s.Loads[0])/65536*100) / 100
		h.MemTotal, h.MemFree = int64(s.Totalram)*unit, available((int64(s.Freeram)+int64(s.Bufferram))*unit)
	}
	disk := diskOf(d.cfg.Data)
	h.DiskTotal, h.DiskFree = disk.Total, disk.Free
}

// work fills in what the parts are doing.
func (d *Daemon) work(ctx context.Context, h *wire.Heartbeat) {
	h.ConfigVersion = d.live.State().Version()
	h.RunsActive, _ = d.runtime.Active()
	h.Model, h.Rehearsal = d.model.Name(), d.model.Rehearsal()
	n, err := d.gate.Pending(ctx)
	if err != nil {
		d.log.WarnContext(ctx, "pending approvals not counted", "error", err)
	}
	h.Pending = n
}

// enginePatience is how long a heartbeat waits for the container engine.
const enginePatience = time.Second

// containers counts the containers; nil where no engine can be asked.
func (d *Daemon) containers(ctx context.Context) *wire.Containers {
	ctx, cancel := context.WithTimeout(ctx, enginePatience)
	defer cancel()
	all, err := d.engine.List(ctx)
	if err != nil {
		return nil
	}
	n := &wire.Containers{Total: len(all)}
	for _, c := range all {
		if c.State == "running" {
			n.Running++
		}
	}
	return n
}

// available is the memory that programs can still get, in bytes: caches count, for the kernel gives them up. It is
// other where the kernel does not say.
func available(other int64) int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return other
	}
	for line := range strings.Lines(string(b)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return other
}

// protection says in words what holds on this machine.
func (d *Daemon) protection() []string {
	p := d.sandbox.Protection()
	var all []string
	if p.Off == "" {
		all = append(all, "tools see only the data folder")
	}
	if p.Namespaces {
		all = append(all, "tools have no network")
	}
	if unix.Geteuid() != 0 {
		all = append(all, "agentd runs without root")
	}
	return all
}
