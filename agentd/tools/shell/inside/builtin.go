package inside

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// builtin runs what no program could do, and says whether it was that.
func (r *runner) builtin(argv, env []string, s streams) bool {
	switch filepath.Base(argv[0]) {
	case "cd":
		r.cd(argv, s)
	case "exit":
		r.leave(leaveAll, argv)
	case "return":
		r.leave(leaveFunction, argv)
	case "break":
		r.leave(leaveBreak, argv)
	case "continue":
		r.leave(leaveContinue, argv)
	case "read":
		r.read(argv, env, s)
	case "mapfile", "readarray":
		r.mapfile(argv, s)
	case "set":
		r.set(argv)
	case "ulimit":
		r.ulimit(argv[1:], s)
	default:
		return false
	}
	return true
}

// cd changes the working folder of what follows.
func (r *runner) cd(argv []string, s streams) {
	dir := r.env.Root
	if len(argv) > 1 {
		dir = argv[len(argv)-1]
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.dir, dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		_, err = os.ReadDir(real) // it must be a folder that may be looked at
	}
	if err == nil && real != r.env.Root && !strings.HasPrefix(real, r.env.Root+"/") {
		err = fmt.Errorf("%s leads out of the data folder", dir)
	}
	if err != nil {
		r.fail(s, statusFailed, "cd: %v", err)
		return
	}
	r.dir, r.status = real, 0
}

// leave ends a loop, a function or all, with a number of loops or a status.
func (r *runner) leave(what leave, argv []string) {
	n, err := 0, error(nil)
	if len(argv) > 1 {
		n, err = strconv.Atoi(argv[1])
	}
	if err != nil {
		n = statusUsage
	}
	r.leaves = what
	switch {
	case what == leaveBreak || what == leaveContinue:
		r.levels, r.status = max(n, 1), 0
	case len(argv) > 1:
		r.status = n & 0xff
	}
}

// which tells where programs are.
func (r *runner) which(names []string, s streams) {
	r.status = 0
	for _, name := range names {
		if strings.HasPrefix(name, "-") {
			continue
		}
		file, err := find(name)
		if file == "" {
			r.fail(s, statusFailed, "%v", err)
			continue
		}
		fmt.Fprintln(s.out, file) //nolint:errcheck // whoever reads may have gone
	}
}
