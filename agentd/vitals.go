package agentd

import (
	"context"
	"math"
	"runtime"

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
	d.told(ctx, &h)
	return h
}

// machine fills in load, memory and disk; a figure that the kernel does not give stays 0.
func (d *Daemon) machine(h *wire.Heartbeat) {
	var s unix.Sysinfo_t
	if err := unix.Sysinfo(&s); err == nil {
		unit := int64(s.Unit)
		h.LoadOne = math.Round(float64(s.Loads[0])/65536*100) / 100
		h.MemTotal, h.MemFree = int64(s.Totalram)*unit, (int64(s.Freeram)+int64(s.Bufferram))*unit
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(d.cfg.Data, &fs); err == nil {
		h.DiskTotal, h.DiskFree = int64(fs.Blocks)*fs.Bsize, int64(fs.Bavail)*fs.Bsize
	}
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
