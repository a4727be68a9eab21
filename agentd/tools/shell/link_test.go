package shell_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// TestRun_followsNoLinkToSecrets: a file that may not be read by name is not read by the name of a link to it.
func TestRun_followsNoLinkToSecrets(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 3
	w.Write(t, files)
	w.Write(t, map[string]string{"conf/.env": "CANARY", "list": "link.txt\n"})
	for name, to := range map[string]string{"link.txt": "conf/.env", "twice.txt": "link.txt", "here": ".", "accounts.txt": "/etc/passwd", "newest.log": "logs/app.log"} {
		if err := os.Symlink(to, filepath.Join(w.Data, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range some(t, []string{
		"cat link.txt", "cat twice.txt", "cat < link.txt", "cat here/link.txt", "cat ./here/../link.txt", "awk '{print}' link.txt", "nice cat link.txt", "ls link.txt | xargs cat", "cat link.tx?",
		"while read -r f; do cat \"$f\"; done < list", "mapfile -t l < link.txt; echo ${l[0]}", "diff link.txt a.txt", "find link.txt -exec cat {} +", "cat accounts.txt", "cat < accounts.txt", "cp link.txt copy.txt; cat copy.txt",
	}) {
		if o := w.Do(t, "shell", command(c)); strings.Contains(o.Text, "CANARY") || strings.Contains(o.Text, "root:") {
			t.Errorf("%q: %s %s %.200s", c, o.Tier, o.State, o.Text)
		}
	}
	for c, want := range someOf(t, map[string]string{"cat newest.log": "error: disk", "tail -1 < newest.log": "ok", "ls -l": "link.txt", "readlink link.txt": "conf/.env", "echo link.txt": "link.txt", "cat here/a.txt": "two"}) {
		if o := w.Do(t, "shell", command(c)); o.State != wire.ToolDone || !strings.Contains(o.Text, want) {
			t.Errorf("%q: %s %s", c, o.State, o.Text)
		}
	}
}

// fillLinked fills the data folder with links to what may not be written, and to what may not be lost unasked.
func (w world) fillLinked(t *testing.T) {
	t.Helper()
	w.fill(t, files)
	w.Write(t, map[string]string{".git/config": "precious", ".git/hooks/pre-push": "precious", "keep.txt": "precious", "docs/other.txt": "precious", "docs/deep/x": "x", "sub/x": "x", "config": "pwn"})
	for name, to := range map[string]string{
		"linkg": ".git/config", "link": "keep.txt", "twice": "link", "hooks": ".git/hooks", "docs/config": "../.git/config", "docs/kept.txt": "../keep.txt", "rc": ".bashrc", "sub/back": "../docs/deep", "same": "docs",
	} {
		if err := os.Symlink(to, filepath.Join(w.Data, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRun_writesThroughNoLink: what a link leads to is judged as if it had been named, whoever allows it.
func TestRun_writesThroughNoLink(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 2
	for _, c := range some(t, []string{
		"echo pwn > linkg", "echo pwn >> linkg", "echo pwn | tee linkg", "echo pwn | tee -a linkg", "cp a.txt linkg", "touch rc", "echo pwn > rc", "cp a.txt rc", "cp a.txt hooks", "echo pwn > hooks/pre-push",
		"mkdir -p hooks/x/y", "cp config docs", "cd docs && cp ../config .", "cp -t docs config", "rm hooks/pre-push", "cp -r docs copied", "sed -i s/e/x/ linkg",
		"cp -a link l2; echo x > l2", "cd same; echo x > kept.txt", "echo x > sub/back/../other.txt", "cp a.txt sub/back/../other.txt",
	}) {
		w.fillLinked(t)
		o := w.Do(t, "shell", command(c))
		for _, f := range []string{".git/config", ".git/hooks/pre-push", "keep.txt", "docs/other.txt"} {
			if !w.Has(f) || w.Read(t, f) != "precious" {
				t.Errorf("%q: %s %s %s, %s is lost", c, o.Tier, o.State, o.Text, f)
			}
		}
		if w.Has(".bashrc") || w.Has(".git/hooks/x") || w.Has(".git/hooks/a.txt") {
			t.Errorf("%q: %s %s %s", c, o.Tier, o.State, o.Text)
		}
	}
}

// TestRun_noWayBackThroughLinks: a name that goes back through a link means one file as text, by which it is judged, and
// another one to the kernel. It is used by nobody, however it is written and whoever allows it.
func TestRun_noWayBackThroughLinks(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 3
	for _, c := range some(t, []string{
		"cat s/../k", "cat ROOT/s/../k", "head -1 ROOT/docs/../s/../k", "wc -l ROOT/s/../k", "cat < ROOT/s/../k", "find s/../k -type f -exec cat {} +", "find ROOT/s/../ -name k -exec cat {} +", "cat ROOT/o/../passwd",
		"grep -f ROOT/s/../k a.txt", "grep --file=ROOT/s/../k a.txt", "cd s; cat ../k", "find s/.. -name k",
		"cp a.txt ROOT/hooks/../config", "echo pwn | tee ROOT/hooks/../config", "echo pwn > ROOT/hooks/../config", "cp --target-directory=ROOT/hooks/.. config", "cp -tROOT/hooks/.. config", "mv a.txt ROOT/hooks/../config", "touch ROOT/hooks/../new",
		"rm hooks/../config", "rm ROOT/hooks/../config", "unlink hooks/../config", "rm -r sub/back/../other.txt", "find sub/back/../other.txt -delete", "ls hooks/../config | xargs rm", "mkdir hooks/../new", "sed -i s/e/x/ ROOT/hooks/../config",
	}) {
		w.fillLinked(t)
		w.Write(t, map[string]string{".ssh/sub/x": "x", ".ssh/k": "CANARY\n", "k": "own\n", "other.txt": "own"})
		for name, to := range map[string]string{"s": ".ssh/sub", "o": "/etc/ssl"} {
			if err := os.Symlink(to, filepath.Join(w.Data, name)); err != nil {
				t.Fatal(err)
			}
		}
		o := w.Do(t, "shell", command(strings.ReplaceAll(c, "ROOT", w.Data)))
		if strings.Contains(o.Text, "CANARY") || strings.Contains(o.Text, "root:") || strings.Contains(o.Text, "\nk\n") {
			t.Errorf("%q: %s %s %.200s", c, o.Tier, o.State, o.Text)
		}
		for _, f := range []string{".git/config", "docs/other.txt"} {
			if !w.Has(f) || w.Read(t, f) != "precious" {
				t.Errorf("%q: %s %s %s, %s is lost", c, o.Tier, o.State, o.Text, f)
			}
		}
		if w.Has(".git/new") {
			t.Errorf("%q: %s %s %s", c, o.Tier, o.State, o.Text)
		}
	}
	w.fillLinked(t)
	w.Level = 2
	for c, want := range someOf(t, map[string]string{
		"cat docs/../a.txt": "two", "cat ROOT/docs/../a.txt": "two", "sed -n '/two/,/../p' a.txt": "two", "echo hooks/../config": "hooks/../config", "cd docs; cat ../a.txt": "two", "find docs/../sub -name x": "sub/x",
		"ls same/..": "a.txt", "realpath sub/back/..": "/docs", "test -f sub/back/../other.txt && echo there": "there", "stat -c %n hooks/..; true": "hooks/..",
	}) {
		if o := w.Do(t, "shell", command(strings.ReplaceAll(c, "ROOT", w.Data))); o.State != wire.ToolDone || !strings.Contains(o.Text, want) {
			t.Errorf("%q: %s %s", c, o.State, o.Text)
		}
	}
}

// TestMeasure_throughLinks: what is lost through a link is asked by its own name.
func TestMeasure_throughLinks(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 2
	w.fillLinked(t)
	for _, c := range some(t, []string{"echo x > link", "echo x > twice", "cp a.txt link", "cat a.txt | tee link", "tar cf link a.txt", "cp a.txt same/kept.txt", "mkdir new; cp a.txt new/kept.txt; cp new/kept.txt docs", "tar --create --file link a.txt", "echo new | tee -- keep.txt -a"}) {
		a := w.Ask(t, "shell", command(c))
		if a.Approval.Tier != string(policy.Red) || !strings.Contains(fmt.Sprint(a.Approval), "keep.txt") {
			t.Errorf("%q: %+v", c, a.Approval)
		}
		if o := w.Answer(t, a, wire.Deny); w.Read(t, "keep.txt") != "precious" {
			t.Errorf("%q: %s %s", c, o.State, o.Text)
		}
	}
	a := w.Ask(t, "shell", command("echo new > twice"))
	if o := w.Answer(t, a, wire.AllowOnce); w.Read(t, "keep.txt") != "new\n" {
		t.Errorf("%s %s", o.State, o.Text)
	}
	if o := w.Do(t, "shell", command("echo x > same/new.txt; cp a.txt same; cat docs/new.txt docs/a.txt")); o.State != wire.ToolDone || o.Text != "x\none\ntwo\nthree\n" {
		t.Errorf("%s %s", o.State, o.Text)
	}
}

// TestRun_keepsSecretsInTheirPlace: a folder that is known for its secrets by its name alone gets no other one.
func TestRun_keepsSecretsInTheirPlace(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 3
	for _, c := range some(t, []string{
		"cp -r .config conf2; cat conf2/gh/hosts.yml", "cp -r .config/gh gh2; cat gh2/hosts.yml", "mv .m2 m2; cat m2/settings.xml", "cp -rL app app2; cat app2/conf/gh/hosts.yml", "cp -r conf conf2; cat conf2/gh/hosts.yml", "cd .config && cp -r . ../conf2; cat ../conf2/gh/hosts.yml",
		"cd .config && mv gh ../gh2; cat ../gh2/hosts.yml", "cp -r .config/* .; cat gh/hosts.yml", "nice mv .m2 m2; cat m2/settings.xml", "ls -d .m2 | xargs -I{} mv {} m2; cat m2/settings.xml",
	}) {
		w.fill(t, map[string]string{".config/gh/hosts.yml": "CANARY", ".m2/settings.xml": "CANARY", "app/a.txt": "a"})
		for name, to := range map[string]string{"app/conf": "../.config", "conf": ".config/"} {
			if err := os.Symlink(to, filepath.Join(w.Data, name)); err != nil {
				t.Fatal(err)
			}
		}
		if o := w.Do(t, "shell", command(c)); strings.Contains(o.Text, "CANARY") {
			t.Errorf("%q: %s %s %.200s", c, o.Tier, o.State, o.Text)
		}
	}
	w.fill(t, map[string]string{"proj/.config/app.yml": "plain", "proj/.m2/repository/x": "plain"})
	if o := w.Do(t, "shell", command("cp -r proj proj2; cp -r proj/.config conf; mv proj2/.m2 m2; cat conf/app.yml m2/repository/x")); o.Text != "plainplain" {
		t.Errorf("%s %s", o.State, o.Text)
	}
}

// TestRun_answersWhereLinksMultiply: links that lead twice to the next one are an answer, and no work without end.
func TestRun_answersWhereLinksMultiply(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 3
	w.Write(t, files)
	w.Write(t, map[string]string{"d/e/f": "x", "keep.txt": "precious"})
	for i := range 40 {
		to := fmt.Sprintf("missing/../x%d/../x%d", i, i)
		if err := os.Symlink(to, filepath.Join(w.Data, fmt.Sprintf("x%d", i+1))); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../"+to, filepath.Join(w.Data, "d/e", fmt.Sprintf("x%d", i+1))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("keep.txt", filepath.Join(w.Data, "x0")); err != nil {
		t.Fatal(err)
	}
	for _, c := range some(t, []string{"cat x40", "cat < x40", "echo pwn > x40", "cp a.txt x40", "cp -r d d2", "cat x40/a", "rm x40/a", "cat d/../x40/../a.txt", "mv x40/a b"}) {
		if o := w.Do(t, "shell", command(c)); strings.Contains(o.Text, "precious") || w.Read(t, "keep.txt") != "precious" {
			t.Errorf("%q: %s %s %.200s", c, o.Tier, o.State, o.Text)
		}
	}
	for c, want := range map[string]string{"rm x40; ls x40 || echo gone": "gone", "sed 's/../x/' a.txt": "xe\n", "cat d/../a.txt": "two"} {
		if o := w.Do(t, "shell", command(c)); o.State != wire.ToolDone || !strings.Contains(o.Text, want) {
			t.Errorf("%q: %s %s", c, o.State, o.Text)
		}
	}
}

// TestRedirect_swapping: a redirection opens the file that was looked at, whatever its name leads to by then.
func TestRedirect_swapping(t *testing.T) {
	t.Parallel()
	rounds := len(some(t, make([]struct{}, 5)))
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		rounds = 200
	}
	w := open(t)
	w.Level = 3
	w.Write(t, map[string]string{"a.txt": "own\n", ".env": "CANARY\n", "in/x": "x", "open/l": "own\n", ".ssh/l": "CANARY\n"})
	ctx, cancel := context.WithCancel(t.Context())
	var swapping sync.WaitGroup
	for name, forms := range map[string][]string{"in/l": {"../a.txt", "../.env"}, "dir": {"open", ".ssh"}} {
		swap := func(to string) {
			next := filepath.Join(w.Data, name+".next")
			if err := errors.Join(os.Symlink(to, next), os.Rename(next, filepath.Join(w.Data, name))); err != nil {
				t.Error(err)
			}
		}
		swap(forms[0])
		swapping.Go(func() {
			for ctx.Err() == nil {
				swap(forms[1])
				swap(forms[0])
			}
		})
	}
	read := 0
	for n := range rounds {
		for _, name := range []string{"in/l", "dir/l"} {
			o := w.Do(t, "shell", command("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat < "+name+"; done; echo "+strconv.Itoa(n)))
			if strings.Contains(o.Text, "CANARY") {
				t.Errorf("%s: %s %s", name, o.State, o.Text)
			}
			read += strings.Count(o.Text, "own")
		}
	}
	cancel()
	swapping.Wait()
	t.Logf("the file itself was read %d times", read)
}
