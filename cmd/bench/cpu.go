package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the kernel's unit for processor time in /proc, the same on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// cpu is the processor time that a process has used. Unlike the clock, it does not see what else the machine does.
func cpu(pid int) (time.Duration, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(raw), ") ") // behind the name, which may hold spaces
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0, fmt.Errorf("process %d: unreadable times", pid)
	}
	user, err := strconv.ParseInt(f[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * tick, err
}
