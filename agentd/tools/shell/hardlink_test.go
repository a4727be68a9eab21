package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestRun_readsNoSecondName: a second name of a file tells nothing of the first one, which may be one of secrets.
func TestRun_readsNoSecondName(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 3
	w.Write(t, files)
	w.Write(t, map[string]string{"conf/.env": "CANARY\n", "list": "hl\n", "docs/a.txt": "harmless\n", "two/a.txt": "harmless\n"})
	for name, to := range map[string]string{"hl": "conf/.env", "docs/hl": "conf/.env", "two/b.txt": "two/a.txt"} {
		if err := os.Link(filepath.Join(w.Data, to), filepath.Join(w.Data, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("hl", filepath.Join(w.Data, "soft")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(w.Data, "soft2"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../conf/.env", filepath.Join(w.Data, "soft2/soft")); err != nil {
		t.Fatal(err)
	}
	for _, c := range some(t, []string{
		"rev hl | rev", "rev < hl | rev", "sort hl", "read x < hl; echo $x", "cat hl", "cat ./docs/../hl", "cat soft", "cat < soft", "nice cat hl", "timeout 5 sort hl", "cat h?", "echo hl | xargs cat", "cat $(cat list)", "while read -r f; do cat \"$f\"; done < list",
		"mapfile -t l < hl; echo ${l[0]}", "x=$(<hl); echo $x", "cat <(cat hl)", "cat < <(cat hl)", "cp hl copy.txt; cat copy.txt", "tar cf a.tar hl; cat a.tar", "tar cf a.tar docs; cat a.tar", "grep -r . docs", "grep . docs/*", "find docs -type f -exec cat {} +", "find hl -exec cat {} \\;",
		"find . -name hl -exec cat {} +", "diff hl a.txt", "awk '{print}' hl", "sed -n p hl", "printf 'CANARY\\n' | grep -fhl -o .", "head -c 100 hl", "base64 hl | base64 -d", "gzip -c hl | zcat", "cp -r docs other; cat other/hl", "cp -a docs other; cat other/hl", "cp -rt . docs/../docs; cat docs/hl", "mkdir far; cp -rt far docs; cat far/docs/hl", "cp -rL soft2 other; cat other/soft", "nice cp -r docs other; cat other/hl", "mkdir out; cp -r . out; cat out/docs/hl",
	}) {
		if o := w.Do(t, "shell", command(c)); strings.Contains(o.Text, "CANARY") {
			t.Errorf("%q: %s %s %.200s", c, o.Tier, o.State, o.Text)
		}
	}
	for c, want := range someOf(t, map[string]string{
		"ls": "hl", "stat -c %h hl": "3", "test -f hl && echo is": "is", "find . -name hl": "./hl", "du -a docs": "docs/hl",
		"grep -rh . two": "harmless", "cat docs/a.txt": "harmless", "cat /etc/os-release": "NAME", "cat < /etc/os-release": "NAME", "ls docs | wc -l": "2", "cp -r two three; cat three/b.txt": "harmless",
	}) {
		if o := w.Do(t, "shell", command(c)); o.State != wire.ToolDone || !strings.Contains(o.Text, want) {
			t.Errorf("%q: %s %s", c, o.State, o.Text)
		}
	}
}

// TestRun_removesSecondNames: a name is taken away whatever else its file is called.
func TestRun_removesSecondNames(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 3
	w.Write(t, map[string]string{"kept.txt": "kept\n", "docs/a.txt": "a\n"})
	if err := os.Link(filepath.Join(w.Data, "kept.txt"), filepath.Join(w.Data, "docs/b.txt")); err != nil {
		t.Fatal(err)
	}
	a := w.Ask(t, "shell", command("rm -r docs"))
	if o := w.Answer(t, a, wire.AllowOnce); o.State != wire.ToolDone || w.Has("docs") || w.Read(t, "kept.txt") != "kept\n" {
		t.Errorf("%s %s", o.State, o.Text)
	}
}
