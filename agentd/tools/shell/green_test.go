package shell_test

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
)

// batch is how many commands of the corpus run in one call.
const batch = 40

// together is a text that runs commands one after the other, each in a subshell of its own.
func together(commands []string) string { return "( " + strings.Join(commands, "\n)\n( ") + "\n)\n" }

// TestGreen_changesNothing runs commands that the classifier's corpus calls harmless, for real: each runs instead of being
// refused, and none changes anything in the data folder. It takes one of forty commands, in the long run (GATEHOUSE_SOAK) all.
func TestGreen_changesNothing(t *testing.T) {
	t.Parallel()
	if raceOn {
		t.Skip("what runs inside is the same program; the plain run does this")
	}
	w := open(t)
	w.Write(t, files)
	w.Write(t, map[string]string{"notes.txt": "a\nb\n", "data.txt": "x 1 200\n", "reports/2024.csv": "b,1\n", "reports/x.txt": "", "data.json": `{"items":[{"name":"n"}],"a":1}`, "a.bin": "\x00\x01", "b.bin": "\x00"})
	before := snapshot(t, w.Data)
	all := harmless(t)
	n := len(all)
	if os.Getenv(sampled) != "" {
		all = some(t, all)
	} else {
		all = seeded.Sample(all, 40)
	}
	alone := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return !names.MatchString(c) })
	others := slices.DeleteFunc(all, names.MatchString)
	for some := range both(slices.Chunk(others, batch), slices.Chunk(alone, 1)) {
		text := strings.ReplaceAll(together(some), "/opt/gatehouse", w.Data)
		o := w.Do(t, "shell", command(text))
		if o.State != wire.ToolDone || o.Tier != "green" || strings.Contains(o.Text, "refused:") {
			t.Errorf("%s\n%s %s %.3000s", text, o.State, o.Tier, o.Text)
		}
	}
	if after := snapshot(t, w.Data); after != before || n < 2000 {
		t.Errorf("after %d commands the folder holds\n%s\nand before\n%s", len(all), after, before)
	}
}

// names are commands that set variables or make functions: a name means the same in all of a text, so each has its own.
var names = regexp.MustCompile(`(?:^|[\s;&|(])\w+\+?=|\bread\b|\bfor\b|\(\)|function|mapfile|readarray|\(\(`)

func both[T any](a, b iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, seq := range []iter.Seq[T]{a, b} {
			for v := range seq {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// waits are commands that wait for more to come.
var waits = regexp.MustCompile(`^(tail|journalctl|docker logs|docker compose logs)( .*)? -[a-zA-Z]*[fF]\b|^exit`)

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
		if line != "" && !strings.HasPrefix(line, "# ") && !waits.MatchString(line) {
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
