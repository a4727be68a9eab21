package local

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// process names a process for good: numbers are given again, starts are not.
type process struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start_time"` // ticks after boot, from /proc
}

// stat is what /proc says of a process.
type stat struct {
	state   byte
	session int
	start   uint64
}

// alive says whether the process is there and more than a zombie.
func (p process) alive() bool {
	s, err := statOf(p.PID)
	return err == nil && s.start == p.Start && s.state != 'Z' && s.state != 'X'
}

// signalAll sends sig to the process and everything in its group. A group that is gone is no error.
func (p process) signalAll(sig unix.Signal) error {
	if !p.alive() {
		return nil
	}
	if err := unix.Kill(-p.PID, sig); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("signal process group %d: %w", p.PID, err)
	}
	return nil
}

func statOf(pid int) (stat, error) {
	if pid <= 0 {
		return stat{}, os.ErrNotExist
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, err
	}
	// The name in parentheses may hold anything, so fields are counted from the last parenthesis.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return stat{}, fmt.Errorf("/proc/%d/stat: %d fields", pid, len(fields))
	}
	session, err1 := strconv.Atoi(fields[3])
	start, err2 := strconv.ParseUint(fields[19], 10, 64)
	return stat{state: fields[0][0], session: session, start: start}, errors.Join(err1, err2)
}

// findByName looks for a process of a server among all: the hub may have died between starting it and writing that
// down.
func (p part) findByName(serverID string) (process, bool) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return process{}, false
	}
	for _, dir := range dirs {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !bytes.HasPrefix(line, []byte(p.nameOf(serverID)+"\x00"+p.sub+"\x00")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		s, err := statOf(pid)
		if found := (process{PID: pid, Start: s.start}); err == nil && s.session == pid && found.alive() {
			return found, true
		}
	}
	return process{}, false
}
