package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLookWiped: a machine that is clean says its server and nothing else. What is left is said, and an engine that does not answer is
// not taken for an empty one.
func TestLookWiped(t *testing.T) {
	t.Parallel()
	const (
		noUser   = 54321 // a UID that no user of the machine has
		unlisted = ", which could not be listed"
	)
	for what, c := range map[string]struct {
		docker string // what the engine's program does
		lay    string // a file that is left, of a user who is gone where it stands in a folder for everybody
		want   string
	}{
		"clean":          {"exit 0", "", "s1"},
		"under way":      {"exit 0", "etc/gatehouse/wipe.under-way", "s1\n/etc/gatehouse/wipe.under-way"},
		"mail":           {"exit 0", "var/mail/gatehouse", "s1\n/var/mail/gatehouse"},
		"a former file":  {"exit 0", "run/lock/open/left", "s1\nROOT/run/lock/open\nROOT/run/lock/open/left"},
		"a process":      {"exit 0", "proc/77/status", "s1\nprocess 77"},
		"a container":    {`[ "$1" != ps ] || echo container shop`, "", "s1\ncontainer shop"},
		"no engine":      {"exit 1", "", "s1\ncontainers" + unlisted + "\nvolumes" + unlisted + "\nimages" + unlisted},
		"it is not done": {"exit 0", "-", ""},
	} {
		root, bin := t.TempDir(), t.TempDir()
		for file, text := range map[string]string{
			filepath.Join(bin, "docker"): "#!/bin/sh\n" + c.docker + "\n", filepath.Join(bin, "systemctl"): "#!/bin/sh\nexit 3\n",
			filepath.Join(root, "etc/gatehouse/wiped"): "s1\n",
		} {
			write(t, file, text)
		}
		switch top, _, _ := strings.Cut(c.lay, "/"); {
		case top == "-":
			must(t, os.Remove(filepath.Join(root, "etc/gatehouse/wiped")))
		case top == "run", top == "proc":
			write(t, filepath.Join(root, c.lay), "")
			if os.Getuid() != 0 {
				continue // only root gives files away
			}
			must(t, os.Chown(filepath.Join(root, c.lay), noUser, noUser))
			must(t, os.Chown(filepath.Join(root, filepath.Dir(c.lay)), noUser, noUser))
		case top != "":
			write(t, filepath.Join(root, c.lay), "")
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-c", lookWiped)
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "root="+root)
		out, err := cmd.Output()
		got := strings.ReplaceAll(strings.TrimSpace(string(out)), root, "ROOT")
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte(text), 0o755))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
