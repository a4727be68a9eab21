package shell

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatehouse/agentd/policy"
)

// aliases are commands that distributions ship as scripts for a shell.
var aliases = map[string][]string{
	"egrep": {"grep", "-E"}, "fgrep": {"grep", "-F"}, "zcat": {"gzip", "-dc"}, "gunzip": {"gzip", "-d"},
}

// alias gives the words that really start: scripts become the program behind them, and what was judged as reading is
// held to it.
func alias(argv []string, plan policy.ShellPlan) []string {
	if to, ok := aliases[filepath.Base(argv[0])]; ok {
		return slices.Concat(to, argv[1:])
	}
	if plan.Class.Tier == policy.Green {
		return hold(argv, plan.Programs)
	}
	return argv
}

var (
	errMissing = errors.New("not installed on this server")
	errScript  = errors.New("a script, and no shell is run")
)

// find gives the file of a program by the fixed list of folders.
func find(name string) (string, error) {
	name = filepath.Base(name)
	for _, dir := range policy.Binaries {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, isBinary(file)
		}
	}
	return "", fmt.Errorf("%s: %w", name, errMissing)
}

// isBinary refuses scripts: starting one would start a shell.
func isBinary(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil || !bytes.Equal(magic, []byte("\x7fELF")) {
		return fmt.Errorf("%s: %w", filepath.Base(file), errScript)
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	if why := policy.Never(filepath.Base(real)); why != "" { // a link to a shell
		return fmt.Errorf("%s: %s", filepath.Base(file), why)
	}
	return nil
}

func path() string { return strings.Join(policy.Binaries, ":") }
