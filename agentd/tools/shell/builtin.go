package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

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

func (r *runner) exit(argv []string) {
	r.exited = true
	if len(argv) > 1 {
		n, err := strconv.Atoi(argv[1])
		if err != nil {
			n = statusUsage
		}
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
