package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is how much processor time has gone where since the machine started.
type usage struct{ all, idle, ours time.Duration }

// look reads the machine's times and those of the bench, of a stage's programs and of their children.
func (s *Stage) look() (u usage, err error) {
	if u.all, u.idle, err = machine(); err != nil {
		return u, err
	}
	var ended syscall.Rusage // of programs that the bench started and that have ended
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ended); err != nil {
		return u, err
	}
	u.ours = time.Duration(ended.Utime.Nano() + ended.Stime.Nano())
	mine := map[int]bool{os.Getpid(): true, s.hub.PID(): true, s.pg.PID: true}
	if pid, err := s.agentdPID(); err == nil {
		mine[pid] = true
	}
	stats, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return u, err
	}
	for _, dir := range stats {
		pid, _ := strconv.Atoi(filepath.Base(dir)) // the pattern lets numbers through alone
		if !mine[pid] && !mine[parent(pid)] {
			continue
		}
		if t, err := cpu(pid); err == nil { // else it ended meanwhile
			u.ours += t
		}
	}
	return u, nil
}

// others is the share of the machine, in percent, that went to everything else between two looks: what makes figures
// worse than they are.
func others(before, after usage) float64 {
	all := after.all - before.all
	rest := all - (after.idle - before.idle) - (after.ours - before.ours)
	if all <= 0 {
		return 0
	}
	return max(0, 100*float64(rest)/float64(all))
}

// machine sums the first line of /proc/stat; idle is idle and waiting for disks.
func machine() (all, idle time.Duration, err error) {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	f := strings.Fields(line)
	if len(f) < 9 || f[0] != "cpu" {
		return 0, 0, fmt.Errorf("unreadable /proc/stat: %q", line)
	}
	for i, v := range f[1:9] { // user, nice, system, idle, iowait, irq, softirq, steal; guests count as user
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return 0, 0, err
		}
		all += time.Duration(n) * tick
		if i == 3 || i == 4 {
			idle += time.Duration(n) * tick
		}
	}
	return all, idle, nil
}

// parent is the process that started pid, 0 when it is gone.
func parent(pid int) int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	f := strings.Fields(rest)
	if len(f) < 2 {
		return 0
	}
	up, _ := strconv.Atoi(f[1]) // 0 when unreadable
	return up
}
