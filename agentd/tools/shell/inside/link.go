package inside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"gatehouse/agentd/policy"
)

var (
	// speakers are programs that look at no file that their words may name.
	speakers = []string{"basename", "dirname", "echo", "printf", "which", ":"}
	// lookers tell of the names that their words name.
	lookers = []string{"ls", "stat", "readlink", "realpath", "test", "[", "du"}
	// tellers tell of a name or take it away, and do not look at what is behind it.
	tellers = slices.Concat([]string{"find", "rm", "unlink"}, lookers, speakers)
)

// Tells says whether a program tells of the names that its words name, or takes them away, and does not look at what is
// behind them.
func Tells(prog string) bool { return slices.Contains(tellers, prog) }

// replacers are commands of git that take a link for itself, and put another file in its place.
var replacers = []string{"add", "rm", "mv", "commit", "checkout", "restore"}

// leads looks where the names in a command lead that lie in the data root: a link is judged as the file that it is one
// to, as if that had been named. A command that does more than look may write to every file that it names.
func (r *runner) leads(argv []string, tier policy.Tier) error {
	prog := filepath.Base(argv[0])
	if slices.Contains(speakers, prog) {
		return nil
	}
	if err := r.noWayBack(argv[1:], slices.Contains(lookers, prog)); err != nil {
		return err
	}
	switch {
	case prog == "rm" || prog == "unlink":
		return r.removals(argv)
	case Tells(prog):
		return nil
	}
	write := tier != policy.Green && !(prog == "git" && len(argv) > 1 && slices.Contains(replacers, argv[1]))
	for _, w := range argv[1:] {
		for _, name := range namesIn(w) {
			if _, err := r.lead(name, write); err != nil {
				return err
			}
		}
	}
	return nil
}

// noWayBack refuses words in which a name may stand that goes back through a link. Whoever only looks may, as far as the
// file is one to be looked at that the name is one of.
func (r *runner) noWayBack(words []string, looks bool) error {
	for _, w := range words {
		for _, name := range namesIn(w) {
			other, err := r.astray(name)
			switch {
			case err != nil:
				return err
			case other == "":
			case !looks:
				return wayBack(name)
			default:
				if c := policy.Argv([]string{"stat", other}, r.here()).Class; c.Tier.Rank() > r.allowed.Rank() {
					return fmt.Errorf("%s leads to another file. %s", name, c.Why)
				}
			}
		}
	}
	return nil
}

func wayBack(name string) error {
	return fmt.Errorf("%s goes back through a link. Write the name without that", name)
}

// astray is the file of a name that goes back through a link, wherever it lies: as text, by which it is judged, it means
// another one than to the kernel. It is empty for any other name.
func (r *runner) astray(name string) (other string, err error) {
	if !strings.Contains(name, "..") {
		return "", nil
	}
	written := name
	if !filepath.IsAbs(name) {
		written = r.dir + "/" + name
	}
	kernel, err := realName(written)
	if errors.Is(err, errNoWayBack) { // what is no way is no name: s/../x/
		return "", nil
	}
	text, textErr := realName(r.abs(name))
	if err := errors.Join(err, textErr); err != nil || kernel == text {
		return "", err
	}
	return kernel, nil
}

// removals looks where the folders lead of which names are taken away. The name itself may be that of any link.
func (r *runner) removals(argv []string) error {
	for _, w := range argv[1:] {
		p := r.abs(w)
		dir, err := realName(filepath.Dir(p))
		if err != nil {
			return err
		}
		if err := r.judged(w, p, filepath.Join(dir, filepath.Base(p)), true); err != nil {
			return err
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

// lead looks where one name leads that does not go back through a link, and answers the file that it is one of. A name
// outside the data root is its own.
func (r *runner) lead(name string, write bool) (real string, err error) {
	p := r.abs(name)
	if name == "" || !strings.HasPrefix(p, r.env.Root+"/") {
		return p, nil
	}
	if real, err = realName(p); err != nil {
		return "", err
	}
	if info, err := os.Lstat(real); err == nil && secondName(info) {
		return "", fmt.Errorf("%s has a second name elsewhere and is not touched", name)
	}
	return real, r.judged(name, p, real, write)
}

// judged judges the file that a name in the data root leads to, when that is another one.
func (r *runner) judged(name, p, real string, write bool) error {
	if real == p || !strings.HasPrefix(p, r.env.Root+"/") {
		return nil
	}
	if c := policy.Redirected(real, write, false, r.here()).Class; c.Tier.Rank() > r.allowed.Rank() {
		return fmt.Errorf("%s leads to another file. %s", name, c.Why)
	}
	return nil
}

// maxLinks is how many links one name is followed through at most: more than any kernel takes.
const maxLinks = 64

var (
	errManyLinks = errors.New("it leads through too many links")
	errNoWayBack = errors.New("it leads back from a folder that is not there")
)

// realName is where a name leads through all links, also that of a file that is not there yet.
func realName(p string) (string, error) {
	real, err := follow(p, os.Readlink)
	if err != nil {
		return "", fmt.Errorf("%s is not touched: %w", filepath.Base(p), err)
	}
	return real, nil
}

// follow goes from part to part of an absolute name, as the kernel does. All links on the way count together: one that
// leads twice to another one, which leads twice to the next, doubles the way with each of them.
func follow(p string, readlink func(string) (string, error)) (string, error) {
	real := "/"
	for left := maxLinks; p != ""; {
		part, rest, _ := strings.Cut(p, "/")
		if part == ".." && !isFolder(real) {
			return "", errNoWayBack
		}
		next := filepath.Join(real, part)
		to, err := readlink(next)
		switch {
		case err != nil:
			real, p = next, rest
			continue
		case left == 0:
			return "", errManyLinks
		case filepath.IsAbs(to):
			real = "/"
		}
		left--
		p = to + "/" + rest
	}
	return real, nil
}

func isFolder(p string) bool {
	info, err := os.Lstat(p)
	return err == nil && info.IsDir()
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
