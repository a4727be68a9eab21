package shell_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// TestRun_replacesOnlyWhatWasMeasured: names that are known only when the command runs replace nothing unasked.
func TestRun_replacesOnlyWhatWasMeasured(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 2
	for _, c := range []string{
		"cd docs && echo x > list.txt", "cd docs && cp other.txt list.txt", "cp docs/other.txt copied.txt; mkdir new; cp docs/other.txt new/list.txt; cp new/* docs",
		"cp evil.txt docs/list.tx?",
	} {
		w.fill(t, map[string]string{"docs/list.txt": "precious", "docs/other.txt": "evil", "evil.txt": "evil"})
		o := w.Do(t, "shell", command(c))
		if got := w.Read(t, "docs/list.txt"); got != "precious" {
			t.Errorf("%q: %s %s, the file holds %q", c, o.State, o.Text, got)
		}
	}
}

// TestRun_asksWhatXargsReplaces: which files xargs gives a command that replaces some is for a person to decide.
func TestRun_asksWhatXargsReplaces(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 2
	for _, c := range []string{"ls docs/list.txt | xargs -n1 cp evil.txt", "ls docs/list.txt | xargs tee", "ls docs/*.txt | xargs -n2 mv"} {
		w.fill(t, map[string]string{"docs/list.txt": "precious", "docs/other.txt": "evil", "evil.txt": "evil"})
		a := w.Ask(t, "shell", command(c))
		if a.Approval.Tier != string(policy.Red) {
			t.Errorf("%q is asked as %s", c, a.Approval.Tier)
		}
		w.Answer(t, a, wire.Deny)
		if got := w.Read(t, "docs/list.txt"); got != "precious" {
			t.Errorf("%q was denied, and the file holds %q", c, got)
		}
	}
}

// TestRun_replacesItsOwn: what a command made itself, and what a person allowed, it may replace.
func TestRun_replacesItsOwn(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 2
	w.Write(t, map[string]string{"old.txt": "old"})
	if o := w.Do(t, "shell", command("echo a > new.txt; echo b > new.txt; cp new.txt other.txt; cp new.txt other.txt; cat other.txt")); o.State != wire.ToolDone || !strings.HasPrefix(o.Text, "b\n") {
		t.Errorf("%s %s", o.State, o.Text)
	}
	a := w.Ask(t, "shell", command("cp new.txt old.txt -v"))
	if a.Approval.Tier != string(policy.Red) {
		t.Errorf("%+v", a.Approval)
	}
	if o := w.Answer(t, a, wire.AllowOnce); o.State != wire.ToolDone || w.Read(t, "old.txt") != "b\n" {
		t.Errorf("%s %s", o.State, o.Text)
	}
}

// TestRun_goesIntoNoSecrets: a file that may not be read by name is not read as a part of a folder.
func TestRun_goesIntoNoSecrets(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 3
	w.Write(t, map[string]string{"conf/.env": "CANARY", "conf/a.txt": "harmless", "docs/a.txt": "harmless"})
	for _, c := range some(t, []string{
		"grep -r . conf", "grep -r .", "grep -re. conf", "find . -type f -exec cat {} +", "find . -name '.e*' -exec cat {} +", "diff -rN conf docs", "diff -N conf docs", "diff conf docs", "diff -- conf docs", "cd conf && grep -r .",
		"tar cf all.tar conf; cat all.tar", "nice grep -r . conf", "grep -r . con*", "rm -r conf",
	}) {
		if o := w.Do(t, "shell", command(c)); strings.Contains(o.Text, "CANARY") || !w.Has("conf/.env") {
			t.Errorf("%q: %s %s", c, o.State, o.Text)
		}
	}
	for _, c := range []string{"grep -r . docs", "find docs -type f -exec cat {} +", "find . -name a.txt | xargs cat"} {
		if o := w.Do(t, "shell", command(c)); o.State != wire.ToolDone || !strings.Contains(o.Text, "harmless") {
			t.Errorf("%q: %s %s", c, o.State, o.Text)
		}
	}
}
