package shell

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"gatehouse/agentd/policy"
)

// tellers are programs that tell of a name, and not what is behind it.
var tellers = []string{"ls", "stat", "readlink", "realpath", "basename", "dirname", "echo", "printf", "test", "[", "find", "du", "rm", "unlink", "which", ":"}

// leads looks where the names in a command lead that lie in the data root: a link is judged as the file that it is one
// to, as if that had been named.
func (r *runner) leads(argv []string) error {
	if slices.Contains(tellers, filepath.Base(argv[0])) {
		return nil
	}
	for _, w := range argv[1:] {
		for _, name := range namesIn(w) {
			if err := r.lead(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// namesIn are the names of files that a word may hold: it all, and what stands in it behind a flag: --file=name, -fname,
// -rfname.
func namesIn(w string) []string {
	names := []string{w}
	if _, value, ok := strings.Cut(w, "="); ok {
		names = append(names, value)
	}
	if len(w) > 2 && w[0] == '-' && w[1] != '-' {
		for i := 2; i < len(w) && isLetter(w[i-1]); i++ {
			names = append(names, w[i:])
		}
	}
	return names
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// abs is a name as a clean absolute one.
func (r *runner) abs(name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.dir, name)
	}
	return filepath.Clean(name)
}

func (r *runner) lead(name string) error {
	p := r.abs(name)
	if name == "" || !strings.HasPrefix(p, r.env.Root+"/") {
		return nil
	}
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return nil //nolint:nilerr // what cannot be followed cannot be read by the command either
	}
	if info, err := os.Lstat(real); err == nil && secondName(info) {
		return fmt.Errorf("%s has a second name elsewhere and is not touched", name)
	}
	if real == p {
		return nil
	}
	if c := policy.Redirected(real, false, false, r.here()).Class; c.Tier.Rank() > r.allowed.Rank() {
		return fmt.Errorf("%s leads to another file. %s", name, c.Why)
	}
	return nil
}

// secondName says whether a file has more names than the one by which it was found: another one may be that of a file
// that may not be touched, and no name tells.
func secondName(info fs.FileInfo) bool { return info.Mode().IsRegular() && links(info) > 1 }

func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink) //nolint:unconvert // uint16 on some systems
	}
	return 0
}
