package inside

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// bound is one limit that the kernel sets to programs.
type bound struct {
	flag     byte
	says     string
	resource int
	unit     uint64
}

var bounds = []bound{
	{'c', "core file size (blocks)", unix.RLIMIT_CORE, 1024},
	{'d', "data seg size (kbytes)", unix.RLIMIT_DATA, 1024},
	{'e', "scheduling priority", unix.RLIMIT_NICE, 1},
	{'f', "file size (blocks)", unix.RLIMIT_FSIZE, 1024},
	{'i', "pending signals", unix.RLIMIT_SIGPENDING, 1},
	{'l', "max locked memory (kbytes)", unix.RLIMIT_MEMLOCK, 1024},
	{'m', "max memory size (kbytes)", unix.RLIMIT_RSS, 1024},
	{'n', "open files", unix.RLIMIT_NOFILE, 1},
	{'q', "POSIX message queues (bytes)", unix.RLIMIT_MSGQUEUE, 1},
	{'r', "real-time priority", unix.RLIMIT_RTPRIO, 1},
	{'s', "stack size (kbytes)", unix.RLIMIT_STACK, 1024},
	{'t', "cpu time (seconds)", unix.RLIMIT_CPU, 1},
	{'u', "max user processes", unix.RLIMIT_NPROC, 1},
	{'v', "virtual memory (kbytes)", unix.RLIMIT_AS, 1024},
	{'x', "file locks", unix.RLIMIT_LOCKS, 1},
}

// ulimit tells the limits that commands run under here; it sets none.
func (r *runner) ulimit(words []string, s streams) {
	flags := strings.ReplaceAll(strings.Join(words, ""), "-", "")
	which, hard := strings.Trim(flags, "HS"), strings.Contains(flags, "H")
	if which == "" {
		which = "f"
	}
	for _, b := range bounds {
		if which != "a" && strings.IndexByte(which, b.flag) < 0 {
			continue
		}
		var l unix.Rlimit
		if err := unix.Getrlimit(b.resource, &l); err != nil {
			r.fail(s, statusFailed, "ulimit: %v", err)
			return
		}
		text := b.value(l, hard)
		if len(which) > 1 || which == "a" {
			text = fmt.Sprintf("%-32s (-%c) %s", b.says, b.flag, text)
		}
		fmt.Fprintln(s.out, text) //nolint:errcheck // whoever reads may have gone
	}
	r.status = 0
}

func (b bound) value(l unix.Rlimit, hard bool) string {
	n := l.Cur
	if hard {
		n = l.Max
	}
	if n == unix.RLIM_INFINITY {
		return "unlimited"
	}
	return strconv.FormatUint(n/b.unit, 10)
}
