package procmem

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
)

// roomToGrow is how much the heap may grow, in percent of what is alive, before it is swept. A turn is made of
// short-lived pieces: at Go's default of 100 a busy agentd spends a tenth of its time sweeping.
const roomToGrow = 200

// Settle is for the end of a program's start. It gives back what only the start needed, and takes room for work unless
// the operator chose by GOGC. Starting takes three times the memory that waiting does, most of it code and tables that are
// hardly read again; a small server wants it back. What is needed later comes back from the page cache. After an error
// the program runs on as it is, only larger.
func Settle() error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(roomToGrow)
	}
	debug.FreeOSMemory()
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program: %w", err)
	}
	own, err := mappings(exe)
	if err != nil {
		return err
	}
	for _, m := range own {
		if err := m.drop(); err != nil {
			return err
		}
	}
	return nil
}

// drop gives the pages of m back when they can be read from the file again: nobody may write to them, and nobody has. In
// a program that is linked at its start the linker has, before it took the right to do so away.
func (m mapping) drop() error {
	if !strings.HasPrefix(m.mode, "r-") || m.written {
		return nil
	}
	if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED); errno != 0 {
		return fmt.Errorf("give back %s: %w", m.mode, errno)
	}
	return nil
}
