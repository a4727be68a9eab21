package targettest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// controls is where control groups are.
const controls = "/sys/fs/cgroup"

// groups are control groups of the machine's own, in which its containers run: the folders on this computer. Where the second version of
// control groups is in use, systemd-nspawn makes them by itself, and there are none.
func (m *Machine) groups() []string {
	m.t.Helper()
	if _, err := os.Stat(filepath.Join(controls, "cgroup.controllers")); err == nil {
		return nil
	}
	all, err := os.ReadFile("/proc/cgroups")
	must(m.t, err)
	var made []string
	for line := range strings.Lines(string(all)) {
		parent := filepath.Join(controls, strings.Fields(line)[0]) // a folder for each controller, or for several with a link for each
		if _, err := os.Stat(filepath.Join(parent, "cgroup.procs")); err != nil {
			continue
		}
		if parent, err = filepath.EvalSymlinks(parent); err != nil || slices.Contains(made, filepath.Join(parent, m.netns)) {
			continue
		}
		group := filepath.Join(parent, m.netns)
		must(m.t, os.Mkdir(group, 0o755))
		m.t.Cleanup(func() { m.without(group) })
		made = append(made, group)
		for _, name := range []string{"cpuset.cpus", "cpuset.mems"} { // a new group has none
			if text, err := os.ReadFile(filepath.Join(parent, name)); err == nil {
				must(m.t, os.WriteFile(filepath.Join(group, name), text, 0o644))
			}
		}
	}
	return made
}

// inGroups starts a program in the groups whose folders stand before it, up to "--".
const inGroups = `while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs"; shift; done; shift; exec "$@"`

// open lets the machine's own programs make groups below its own.
func (m *Machine) open() {
	m.t.Helper()
	m.Do(`[ -e ` + controls + `/cgroup.controllers ] || for d in ` + controls + `/*/; do mount -o remount,bind,rw "$d"; done`)
}

// without takes a group away with all that the machine made below it. The kernel needs a moment after the last process in it ended.
func (m *Machine) without(group string) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	over := time.After(10 * time.Second)
	for {
		var below []string
		err := filepath.WalkDir(group, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				below = append(below, path)
			}
			return nil
		})
		slices.SortFunc(below, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
		for _, dir := range below {
			err = errors.Join(err, os.Remove(dir))
		}
		if err == nil {
			return
		}
		select {
		case <-over:
			m.t.Errorf("the machine's control group stays: %v", err)
			return
		case <-tick.C:
		}
	}
}
