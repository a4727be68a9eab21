package devpg

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
)

// ErrNoBinaries says that this machine has no Postgres server programs.
var ErrNoBinaries = errors.New("no Postgres server programs found: type .ci/setup run, which installs them or says how without starting a cluster of the machine's own, or set HUB_PG_BIN to the folder that holds initdb and postgres, or DATABASE_URL to a database of yours")

// FindBin is the folder that holds initdb and postgres: HUB_PG_BIN, else the newest version that Debian's packages
// installed, else the one on PATH.
func FindBin() (string, error) {
	candidates := []string{os.Getenv("HUB_PG_BIN")}
	candidates = append(candidates, versioned("/usr/lib/postgresql")...)
	if p, err := exec.LookPath("initdb"); err == nil {
		candidates = append(candidates, filepath.Dir(p))
	}
	for _, dir := range candidates {
		if dir != "" && executable(filepath.Join(dir, "initdb")) && executable(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", ErrNoBinaries
}

// versioned lists the bin folders below root, newest version first.
func versioned(root string) []string {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	var versions []int
	for _, e := range entries {
		if v, err := strconv.Atoi(e.Name()); err == nil {
			versions = append(versions, v)
		}
	}
	sort.Sort(sort.Reverse(sort.IntSlice(versions)))
	dirs := make([]string, 0, len(versions))
	for _, v := range versions {
		dirs = append(dirs, filepath.Join(root, strconv.Itoa(v), "bin"))
	}
	return dirs
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}
