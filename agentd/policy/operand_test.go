package policy_test

import (
	"slices"
	"testing"

	"gatehouse/agentd/policy"
)

// TestShell_operandsThatLookLikeText: a word that a command opens is judged as a file, wherever the pattern stands.
func TestShell_operandsThatLookLikeText(t *testing.T) {
	t.Parallel()
	for command, least := range map[string]policy.Tier{
		"grep -ex .env": policy.Forbidden, "grep -e. .env": policy.Forbidden, "grep --regexp=. .env": policy.Forbidden, "grep -re. .ssh": policy.Forbidden,
		"grep .env -e .": policy.Forbidden, "grep --regexp=. /etc/passwd": policy.Red, "egrep -e. /etc/shadow": policy.Forbidden,
		"jq -n 'import \"./credentials\" as $c; $c'": policy.Red, "jq 'include \"x\"; y' a.json": policy.Red,
		"strings @notes": policy.Red, "ip -b addr": policy.Red,
		"xxd -p 1 2": policy.Red, "xxd -pl 5 out": policy.Red, "xxd -l -l 1 2": policy.Red,
		"uniq -c 1 out.txt": policy.Red, "uniq -- 5 out.txt": policy.Red, "uniq -- in -c": policy.Red, "xxd -- in -s": policy.Red, "uniq -f 1 -- in -5": policy.Red, "uniq -c '' out.txt": policy.Red,
		"tar tf host:x": policy.Red, "tar -cfz x": policy.Red, "docker compose -f evil.yml up": policy.CriticalRed,
		"find . -name '*.csv' -exec cp empty {} ;": policy.Red, "find . -type f -exec tee {} +": policy.Red, "find . -type f -exec mv {} x \\;": policy.Red,
		"cp -t/etc a.txt": policy.Forbidden, "echo x > .jq": policy.Forbidden, "cp a.txt .git/config": policy.Forbidden,
	} {
		if c := policy.Shell(command, env); c.Tier.Rank() < least.Rank() {
			t.Errorf("%q is %s (%s), must be at least %s", command, c.Tier, c.Why, least)
		}
	}
	for _, command := range []string{"grep -e one -e two a.txt", "uniq -f 1 a.txt", "xxd -l 16 a.txt", "ip -br addr", "jq .name a.json"} {
		if c := policy.Shell(command, env); c.Tier != policy.Green {
			t.Errorf("%q is %s: %s", command, c.Tier, c.Why)
		}
	}
}

// TestPlanShell_lost: what a command replaces is found wherever its name stands.
func TestPlanShell_lost(t *testing.T) {
	t.Parallel()
	for command, lost := range map[string]string{
		"cp evil.txt list.txt -v": "list.txt", "tee list.txt other.txt": "list.txt", "cp -t out list.txt": "out/list.txt", "cp list.txt --target-directory=out": "out/list.txt",
		"cp -vt out list.txt": "out/list.txt", "cp -tdata list.txt": "data/list.txt", "cp -- a list.txt": "list.txt", "tar cf list.txt docs": "list.txt", "mv a out/": "out/a",
		"tar --create --file list.txt docs": "list.txt", "tar --file=list.txt --create docs": "list.txt", "tar -f list.txt -c docs": "list.txt", "tar --file list.txt -c docs": "list.txt",
		"tee -- list.txt -a": "list.txt", "cp -- a -tout list.txt": "list.txt/a", "cp -t -- list.txt -t out": "out/list.txt",
	} {
		if plan := policy.PlanShell(command, env); !slices.Contains(plan.Writes, lost) {
			t.Errorf("%q: %q", command, plan.Writes)
		}
	}
	if plan := policy.PlanShell("tee -a list.txt", env); len(plan.Writes) != 0 {
		t.Errorf("appending loses %q", plan.Writes)
	}
	if plan := policy.PlanShell("cp -r docs out", env); !slices.Contains(plan.Merges, "out/docs") {
		t.Errorf("merges %q", plan.Merges)
	}
}

// TestPlanShell_trees: a command that goes into folders says into which, so that what lies there can be looked at.
func TestPlanShell_trees(t *testing.T) {
	t.Parallel()
	for command, tree := range map[string]string{
		"grep -r x docs": "/opt/gatehouse/docs", "grep -r x": "/opt/gatehouse", "grep -rex docs": "/opt/gatehouse/docs", "grep --recursive x docs": "/opt/gatehouse/docs",
		"nice grep -R x docs": "/opt/gatehouse/docs", "diff -r a docs": "/opt/gatehouse/docs", "rm -r docs": "/opt/gatehouse/docs", "tar cf a.tar docs": "/opt/gatehouse/docs",
		"find docs -type f -exec cat {} +": "/opt/gatehouse/docs", "find -type f -exec cat {} +": "/opt/gatehouse", "find docs -delete": "/opt/gatehouse/docs", "gzip -r docs": "/opt/gatehouse/docs",
		"diff docs out": "/opt/gatehouse/docs", "diff -N a docs": "/opt/gatehouse/docs", "diff -- a docs": "/opt/gatehouse/docs", "colordiff a docs": "/opt/gatehouse/docs",
	} {
		if plan := policy.PlanShell(command, env); !slices.Contains(plan.Trees, tree) {
			t.Errorf("%q: %q", command, plan.Trees)
		}
	}
	for _, command := range []string{"grep x docs/a.txt", "find docs -name x", "ls -R docs", "du -sh docs"} {
		if plan := policy.PlanShell(command, env); len(plan.Trees) != 0 {
			t.Errorf("%q: %q", command, plan.Trees)
		}
	}
}

func TestFileDelete_everything(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]policy.Tier{
		"*": policy.CriticalRed, "**": policy.CriticalRed, "./**/*": policy.CriticalRed, "/opt/gatehouse/*": policy.CriticalRed, "?*": policy.CriticalRed,
		".": policy.Forbidden, "tmp/*": policy.Red, "*.tmp": policy.Red,
	} {
		if c := policy.FileDelete(p, env); c.Tier != want {
			t.Errorf("%s is %s, want %s", p, c.Tier, want)
		}
	}
}

func TestFileWrite_startupByCleanName(t *testing.T) {
	t.Parallel()
	for _, p := range []string{".bashrc/.", "x/../.profile", ".bashrc/x/..", ".git/hooks/post-commit", ".jq"} {
		if c := policy.FileWrite(p, 1, env); c.Tier != policy.Forbidden {
			t.Errorf("%s is %s", p, c.Tier)
		}
	}
	if c := policy.FileWrite("systemd/../notes.txt", 1, env); c.Tier != policy.Yellow {
		t.Errorf("a plain file is %s: %s", c.Tier, c.Why)
	}
}
