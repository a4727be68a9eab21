package procmem

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// mapping is a stretch of this process's memory that stands for a part of a file.
type mapping struct {
	from, to uintptr
	mode     string // as "r-xp"
	written  bool   // some of its pages are no longer those of the file
}

// mappings are those of one file, in the order of their addresses. See proc_pid_smaps(5).
func mappings(file string) ([]mapping, error) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil, fmt.Errorf("read own mappings: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	var all []mapping
	inside := false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if name, value, ok := strings.Cut(line, ":"); ok && !strings.Contains(name, " ") {
			if inside && (name == "Anonymous" || name == "Swap") && strings.TrimSpace(value) != "0 kB" {
				all[len(all)-1].written = true
			}
			continue
		}
		if inside = strings.HasSuffix(line, " "+file); !inside {
			continue
		}
		var m mapping
		if _, err := fmt.Sscanf(line, "%x-%x %s", &m.from, &m.to, &m.mode); err != nil {
			return nil, fmt.Errorf("mapping %q: %w", line, err)
		}
		all = append(all, m)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read own mappings: %w", err)
	}
	return all, nil
}
