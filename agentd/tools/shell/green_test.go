package shell_test

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestGreen_changesNothing runs every command that the classifier's corpus calls harmless, for real: each is run, not
// refused, and none changes anything in the data folder.
func TestGreen_changesNothing(t *testing.T) {
	t.Parallel()
	if raceOn {
		t.Skip("what runs inside is the same program; the plain run does this")
	}
	w := open(t)
	w.Write(t, files)
	w.Write(t, map[string]string{"notes.txt": "a\nb\n", "data.txt": "x 1 200\n", "reports/2024.csv": "b,1\n", "reports/x.txt": "", "data.json": `{"items":[{"name":"n"}],"a":1}`, "a.bin": "\x00\x01", "b.bin": "\x00"})
	before := snapshot(t, w.Data)
	n := 0
	for _, c := range harmless(t) {
		if strings.Contains(c, "tail -f") {
			continue // it would wait for more
		}
		o := w.Do(t, "shell", command(c))
		if o.State != wire.ToolDone || o.Tier != "green" || strings.Contains(o.Text, "refused:") {
			t.Errorf("%q: %s %s %.300s", c, o.State, o.Tier, o.Text)
		}
		n++
	}
	if after := snapshot(t, w.Data); after != before || n < 100 {
		t.Errorf("after %d commands the folder holds\n%s\nand before\n%s", n, after, before)
	}
}

func harmless(t *testing.T) []string {
	t.Helper()
	f, err := os.Open("../../policy/testdata/shell_harmless.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if u, err := strconv.Unquote(line); err == nil && strings.HasPrefix(line, `"`) {
			line = u
		}
		if line != "" && !strings.HasPrefix(line, "# ") {
			out = append(out, line)
		}
	}
	return out
}

// snapshot is every name, mode, time and content in a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		var sum [32]byte
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			sum = sha256.Sum256(content)
		}
		fmt.Fprintln(&b, p, info.Mode(), info.ModTime().UnixNano(), sum)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
