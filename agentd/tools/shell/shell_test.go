package shell_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/sandbox"
	"gatehouse/agentd/seeded"
	"gatehouse/agentd/tools/shell"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

func TestMain(m *testing.M) {
	if os.Getenv(hidden) != "" {
		if err := sandbox.Harden(); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

const hidden = "GATEHOUSE_HIDDEN"

type world struct {
	tooltest.Dir
	*tooltest.Gate
}

func open(t testing.TB) world {
	t.Helper()
	w := world{Dir: tooltest.NewDir(t)}
	w.Gate = tooltest.NewGate(t, w.Dir, shell.New(w.Root, openBox(t, w)))
	return w
}

// fill gives the data folder these files and no others: for one case after the other in the same world.
func (w world) fill(t testing.TB, files map[string]string) {
	t.Helper()
	held, err := os.ReadDir(w.Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range held {
		if err := os.RemoveAll(filepath.Join(w.Data, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	w.Write(t, files)
}

func openBox(t testing.TB, w world) *sandbox.Sandbox {
	t.Helper()
	box, err := sandbox.New(t.Context(), w.Data, w.State)
	if err != nil {
		t.Fatal(err)
	}
	if off := box.Protection().Off; off != "" {
		t.Fatalf("no sandbox on this machine: %s", off)
	}
	return box
}

func command(c string) policy.ShellArgs { return policy.ShellArgs{Command: c} }

var files = map[string]string{
	"a.txt": "one\ntwo\nthree\n", "b.txt": "two\n", "logs/app.log": "ok\nerror: disk\nok\n", "logs/old.log": "error: old\n",
	"data.csv": "b,2\na,1\n", "with space.txt": "space\n",
}

func TestRun_language(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Write(t, files)
	cases := map[string]string{
		"echo hello":                         "hello\n",
		"echo 'a  b'  \"c d\"":               "a  b c d\n",
		"cat a.txt | grep t | sort":          "three\ntwo\n",
		"cat a.txt |& wc -l":                 "3\n",
		"ls nothing |& grep -c nothing":      "1\n",
		"grep -c error logs/*.log":           "logs/app.log:1\nlogs/old.log:1\n",
		"true && echo yes || echo no":        "yes\n",
		"false && echo yes || echo no":       "no\n",
		"echo a; echo b":                     "a\nb\n",
		"echo a\necho b":                     "a\nb\n",
		"! grep -q four a.txt && echo none":  "none\n",
		"if test -f a.txt; then echo is; fi": "is\n",
		"if test -f x; then echo a; elif true; then echo b; else echo c; fi": "b\n",
		"if test -f x; then echo a; else echo c; fi":                         "c\n",
		"for f in a.txt b.txt; do wc -l \"$f\"; done":                        "3 a.txt\n1 b.txt\n",
		"for f in *.txt; do echo \"[$f]\"; done":                             "[a.txt]\n[b.txt]\n[with space.txt]\n",
		"while false; do echo x; done; echo end":                             "end\n",
		"(cd logs && ls); ls a.txt":                                          "app.log\nold.log\na.txt\n",
		"{ echo a; echo b; } | tac":                                          "b\na\n",
		"cd logs; cat app.log | head -1":                                     "ok\n",
		"echo $(wc -l < a.txt)":                                              "3\n",
		"echo \"$(cat b.txt)!\"":                                             "two!\n",
		"x=a; cat $x.txt | head -1":                                          "one\n",
		"echo {a,b}.txt":                                                     "a.txt b.txt\n",
		"cat <<E\nin the text\nE":                                            "in the text\n",
		"cat <<-E\n\tin the text\nE":                                         "in the text\n",
		"tr a-z A-Z <<< loud":                                                "LOUD\n",
		"sort < data.csv":                                                    "a,1\nb,2\n",
		"ls nothing 2>&1 | wc -l":                                            "1\n",
		"ls nothing 2>/dev/null; echo $?":                                    "2\n",
		"LC_ALL=C sort data.csv":                                             "a,1\nb,2\n",
		"env LC_ALL=C sort data.csv":                                         "a,1\nb,2\n",
		"timeout 5 cat b.txt":                                                "two\n",
		"find . -name '*.log' | sort":                                        "./logs/app.log\n./logs/old.log\n",
		"find . -name '*.log' | sort | xargs cat":                            "ok\nerror: disk\nok\nerror: old\n",
		"find . -name 'with*' -print0 | xargs -0 cat":                        "space\n",
		"ls a.txt b.txt | xargs -n1 wc -l":                                   "3 a.txt\n1 b.txt\n",
		"ls b.txt | xargs -I{} echo '<{}>'":                                  "<b.txt>\n",
		"find . -name '*.log' -exec grep -l old {} +":                        "./logs/old.log\n",
		"egrep 'one|three' a.txt":                                            "one\nthree\n",
		"sed -n 2p a.txt":                                                    "two\n",
		"awk -F, '{s+=$2} END {print s}' data.csv":                           "3\n",
		"which cat | wc -l":                                                  "1\n",
		"exit 0; echo never":                                                 "(no output)\n",
		"cat a.txt | (head -1; true)":                                        "one\n",
		"yes | head -1":                                                      "y\n",
		"echo a.txt | cat":                                                   "a.txt\n",
		"printf '%s-' a b c":                                                 "a-b-c-",
	}
	for _, in := range some(t, slices.Sorted(maps.Keys(cases))) {
		want := cases[in]
		if o := w.Do(t, "shell", command(in)); o.State != wire.ToolDone || o.Text != want {
			t.Errorf("%q: %s %q, want %q", in, o.State, o.Text, want)
		}
	}
}

func TestRun_writes(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Write(t, files)
	for _, c := range []string{
		"echo new > n.txt", "echo more >> n.txt", "mkdir -p x/y && cp a.txt x/y/c.txt", "mv b.txt x/", "cat a.txt | tee t.txt > /dev/null",
		"ls nothing 2> err.txt || true", "sort data.csv > sorted.csv", "touch empty", "rm -r logs",
	} {
		if o := w.Do(t, "shell", command(c)); o.State != wire.ToolDone || strings.Contains(o.Text, "exit status") {
			t.Errorf("%q: %s %s", c, o.State, o.Text)
		}
	}
	for name, want := range map[string]string{"n.txt": "new\nmore\n", "x/y/c.txt": files["a.txt"], "x/b.txt": "two\n", "t.txt": files["a.txt"], "sorted.csv": "a,1\nb,2\n", "empty": ""} {
		if got := w.Read(t, name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	if w.Has("logs") || w.Has("b.txt") || !strings.Contains(w.Read(t, "err.txt"), "nothing") {
		t.Error("not all was done")
	}
}

func TestRun_failureIsAnAnswer(t *testing.T) {
	t.Parallel()
	w := open(t)
	for in, want := range map[string]string{
		"cat nothing.txt":  "exit status 1",
		"exit 7":           "exit status 7",
		"frobnicate --all": "exit status 127",
	} {
		if o := w.Do(t, "shell", command(in)); o.State != wire.ToolDone || !strings.Contains(o.Text, want) || len(o.Result.Effects) != 0 {
			t.Errorf("%q: %s %q, effects %v", in, o.State, o.Text, o.Result.Effects)
		}
	}
}

// TestRun_looksAgain: what was allowed as reading stays reading, whatever expands to what.
func TestRun_looksAgain(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Write(t, map[string]string{"secret.env": "CANARY", "-exec": "x", "list": "/etc/passwd\n", "sub/..name": "y", "--files0-from=list": "z"})
	for _, c := range some(t, []string{
		"cat *", "wc *", "ls | xargs cat", "grep -r . * | head", "find . -type f | xargs cat", "find . -type f | sort | xargs -n 1 cat",
	}) {
		o := w.Do(t, "shell", command(c))
		if strings.Contains(o.Text, "CANARY") || strings.Contains(o.Text, "root:") || !strings.Contains(o.Text, "refused") {
			t.Errorf("%q: %s %q", c, o.State, o.Text)
		}
	}
}

func TestRun_confined(t *testing.T) {
	t.Parallel()
	w := open(t)
	outside := filepath.Join(w.Path, "outside.txt")
	if err := os.WriteFile(outside, []byte("CANARY"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(w.Data, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(outside, filepath.Join(w.Data, "hard")); err != nil {
		t.Fatal(err)
	}
	for _, c := range some(t, []string{
		"cat link", "cat < link", "cat " + outside, "cat ../outside.txt", "x=" + outside + "; cat $x", "cat $(echo " + outside + ")",
		"echo over > hard", "echo over >> hard", "cat /etc/shadow*x /root/.profile", "find / -name outside.txt -exec cat {} +", "cp " + outside + " in.txt",
		"ls /tmp", "ls /root", "tar cf x.tar " + outside + " && cat x.tar",
	}) {
		if o := w.Do(t, "shell", command(c)); strings.Contains(o.Text, "CANARY") {
			t.Errorf("%q: %s %q", c, o.State, o.Text)
		}
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "CANARY" {
		t.Errorf("outside holds %q, %v", b, err)
	}
}

func TestMeasure_replacing(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 2
	w.Write(t, map[string]string{"a.txt": "old", "b.txt": "old", "empty": ""})
	for _, c := range []string{"echo x > a.txt", "cp a.txt b.txt", "mv a.txt b.txt", "echo x | tee b.txt"} {
		a := w.Ask(t, "shell", command(c))
		if a.Approval.Tier != string(policy.Red) || len(a.Approval.Facts) != 1 || a.Approval.Facts[0].Name != "replaced" {
			t.Errorf("%q: %+v", c, a.Approval)
		}
		if o := w.Answer(t, a, wire.Deny); o.State != wire.ToolDenied {
			t.Errorf("%q: %s", c, o.State)
		}
	}
	for _, c := range []string{"echo x > new.txt", "echo x > empty", "echo x >> a.txt"} {
		if o := w.Do(t, "shell", command(c)); o.State != wire.ToolDone || o.Tier != string(policy.Yellow) {
			t.Errorf("%q: %s %s %s", c, o.State, o.Tier, o.Text)
		}
	}
}

// TestAsNormalUser runs tests again as a user without rights, hidden as agentd is: one of six, with one of ten cases, in the
// long run (GATEHOUSE_SOAK) all with all.
func TestAsNormalUser(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	if raceOn {
		t.Skip("what runs inside is the same program; the plain run does this")
	}
	if os.Geteuid() != 0 {
		t.Skip("this is a normal user")
	}
	cmd := exec.Command("/proc/self/exe", "-test.v", "-test.count=1", inner(t, 6, "AsNormalUser|NoShell|Green"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	cmd.Env = append(os.Environ(), "TMPDIR=/tmp", hidden+"=1", sampled+"=10")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestRun_language")) {
		t.Errorf("%v\n%s", err, out)
	}
}
