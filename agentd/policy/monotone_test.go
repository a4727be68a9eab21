package policy_test

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/seeded"
)

// TestShell_monotone: adding a command, an argument or a wrapper never makes a command look more harmless. One of four
// commands is tried in all that can be around it, and joined with one of the others, the same each time. The long run
// (GATEHOUSE_SOAK) tries every command and joins it with twenty new ones.
func TestShell_monotone(t *testing.T) {
	t.Parallel()
	good := slices.DeleteFunc(everyLine(t), func(c string) bool {
		_, err := policy.ParseShell(c)
		return err != nil || strings.Contains(c, "<<") || narrowed.MatchString(c)
	})
	r, rounds := rand.New(rand.NewPCG(3, 9)), 1
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		r, rounds = rand.New(rand.NewPCG(rand.Uint64(), 9)), 20
	}
	for _, base := range seeded.Sample(good, 4) {
		all := variants(base)
		for range rounds {
			all = append(all, joined(base, good[r.IntN(len(good))])...)
		}
		before := policy.Shell(base, env)
		for _, more := range all {
			if after := policy.Shell(more, env); after.Tier.Rank() < before.Tier.Rank() && !lesser.MatchString(more) {
				t.Fatalf("%q is %s (%s), but %q is %s", base, before.Tier, before.Why, more, after.Tier)
			}
		}
	}
}

// lesser are the commands that a last word makes less of by right: what only tells of a program, or of what it would do,
// and what gives a flag its value.
var lesser = regexp.MustCompile(`^(nice -n 5|env -i) bash --version$|^pkill .* --version$|^git (log|show|cat-file) .*:.* --help$|^rsync -.* -n$|^pdftotext a\.pdf - -f 5$`)

// TestShell_sharedVariable: a variable that is given something harmless elsewhere does not make what it is used for better.
func TestShell_sharedVariable(t *testing.T) {
	t.Parallel()
	const all = `for f in *; do rm "$f"; done`
	want := policy.Shell(all, env)
	for _, c := range []string{"f=a; " + all, "for f in a; do " + all + "; done", "for f in $(cat list); do " + all + "; done", all + `; f=a; rm "$f"`} {
		if got := policy.Shell(c, env); got.Tier.Rank() < want.Tier.Rank() {
			t.Errorf("%s is %s (%s), and alone %s (%s)", c, got.Tier, got.Why, want.Tier, want.Why)
		}
	}
	for _, base := range []string{
		"x=-delete; find . $x", "x=/etc; cat $x/shadow", "x=a/etc/shadow; cat ${x#a}", "x=nv; cat .e$x", "x=.en; cat ${x}v", "x=a; y=$x.env; cat ${y#a}", "if true; then x=-delete; fi; find . $x",
	} {
		want := policy.Shell(base, env)
		for _, other := range []string{"x=$(date +%s)", "x=$(cat list)", "((x++))", "x+=a", "read -r x < list", "for x in $(cat list); do echo $x; done"} {
			for _, c := range []string{base + "\n" + other, other + "\n" + base} {
				if got := policy.Shell(c, env); got.Tier.Rank() < want.Tier.Rank() {
					t.Errorf("%q is %s (%s), and alone %s (%s)", c, got.Tier, got.Why, want.Tier, want.Why)
				}
			}
		}
	}
}

var (
	wrappers = []string{
		"timeout 5 ", "nice -n 5 ", "nohup ", "env ", "env LC_ALL=C ", "LC_ALL=C ", "sudo ", "stdbuf -oL ", "setsid ", "ionice -c3 ", "frobnicate ", "xargs ", "find . -exec ",
		"docker exec x ", "docker exec -itu root x ", "docker run --rm alpine ", "docker run --frobnicate alpine ", "docker compose exec -T web ", "docker container exec x ",
	}
	arguments = []string{"-x", "--help", "--version", "a.txt", "/etc/passwd", "-rf", "--", "-n", "5", "*", "''", "$X", ".env"}
)

// variants are ways to do at least what base does.
func variants(base string) []string {
	out := []string{
		"( " + base + "\n)", "{ " + base + "\n}", "echo $(" + base + "\n)", "! " + base, "time " + base,
		"if true; then " + base + "\nfi", "if " + base + "\nthen true; fi", "for f in a; do " + base + "\ndone", "while false; do " + base + "\ndone",
	}
	if !strings.Contains(base, "\n") {
		out = append(out, base+" | cat", "cat a.txt | "+base)
	}
	if !plain(base) {
		return out
	}
	for _, w := range wrappers {
		out = append(out, w+base)
	}
	for _, more := range arguments {
		if more != "--version" || strings.Contains(base, " ") { // a program that only tells its version is another call
			out = append(out, base+" "+more)
		}
	}
	return out
}

// joined are ways to do at least what base does, together with another command.
func joined(base, other string) []string {
	out := []string{base + "\n" + other, other + "\n" + base}
	if !strings.Contains(base, "\n") {
		out = append(out, base+" ; "+other, other+" && "+base, base+" || "+other)
	}
	return out
}

var named = regexp.MustCompile(`^[a-zA-Z0-9_.+][a-zA-Z0-9_.+-]*( |$)`)

// plain says whether base is one simple command, so that words can be put before and behind it.
func plain(base string) bool {
	return named.MatchString(base) && !strings.ContainsAny(base, "|&;<>(){}\n!$`#=") && !strings.HasPrefix(base, "if ") && !strings.HasPrefix(base, "for ") &&
		!strings.HasPrefix(base, "while ") && !strings.HasPrefix(base, "time ") && !strings.HasPrefix(base, "[") && !strings.HasPrefix(base, "case ")
}

func commandsOf(lines []line) []string {
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		out = append(out, l.command)
	}
	return out
}

// wrapper commands run the command that their words begin with: a word before it makes it another one.
var wrapper = regexp.MustCompile(`^(env|nice|nohup|timeout|setsid|stdbuf|ionice|xargs) `)

// halfQuoted says that a word is a part of a longer one that holds spaces: what is put behind it becomes a part of that.
func halfQuoted(w string) bool { return strings.Count(w, "'")%2 == 1 || strings.Count(w, `"`)%2 == 1 }

// narrowed are programs that do by themselves what any word makes less of: printenv prints all there is. A flag that asks
// for a value takes what is put behind it, and another word is the verb then.
var narrowed = regexp.MustCompile(`^(printenv|env|declare|typeset|export|set)$|^[a-z]+ctl -|--exclude -n`)

// TestShell_argumentsAnywhere: a further word (no subcommand), wherever it is put, does not lower the tier of a plain
// command either.
func TestShell_argumentsAnywhere(t *testing.T) {
	t.Parallel()
	for _, l := range adversarial(t) {
		words := strings.Fields(l.command)
		if !plain(l.command) || l.least.Rank() < policy.Red.Rank() || wrapper.MatchString(l.command) || narrowed.MatchString(l.command) || slices.ContainsFunc(words, halfQuoted) {
			continue
		}
		before := policy.Shell(strings.Join(words, " "), env)
		for at := 1; at <= len(words); at++ {
			for _, more := range []string{"--", "--help", "a.txt", "ls", "-a", "./x", "''"} {
				with := strings.Join(slices.Insert(slices.Clone(words), at, more), " ")
				if at <= 2 && (more == "ls" || more == "-a") || another.MatchString(with) { // the first words say which command of a program it is: npm ls
					continue
				}
				if after := policy.Shell(with, env); after.Tier.Rank() < min(before.Tier.Rank(), policy.Red.Rank()) {
					t.Fatalf("%q is %s, with %q at %d it is %s", words, before.Tier, more, at, after.Tier)
				}
			}
		}
	}
}

// another are the commands that a word in their midst makes other ones: it is the value of a flag before it, which takes
// that of the word behind, or it is the verb.
var another = regexp.MustCompile(`^date -r \S+ -d 010100002020$|^read -rd '' x$|^psql -t -F \S+ -l shop$|^rsync -a --include \S+ --dry-run a b$|^git -C x -C \S+ status clean$|` +
	`^docker compose (-p|--profile|--progress) \S+ ps down$|^docker compose --?[a-z-]+ ([a-z]+ )?ls down$|^ip -\S+ (-s )?(route|addr|link) ls `)

// TestShell_sizeChangesNothing: a long list is judged like a short one, until it is too long and nothing is allowed.
func TestShell_sizeChangesNothing(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 49, 50, 51, 500, 5000} {
		if c := policy.Shell(strings.Repeat("true;", n)+"curl http://example.com", env); c.Tier != policy.Red {
			t.Errorf("after %d commands: %s %s", n, c.Tier, c.Why)
		}
	}
	for name, c := range map[string]string{
		"too many commands": strings.Repeat("ls;", 10_001), "too long": "echo " + strings.Repeat("a", 64<<10), "too many words": "echo" + strings.Repeat(" a", 1100),
		"too deep": strings.Repeat("(", 5000) + "ls" + strings.Repeat(")", 5000), "substitutions": strings.Repeat("$(", 2000) + "ls" + strings.Repeat(")", 2000),
		"backticks": strings.Repeat("`", 2000),
	} {
		if got := policy.Shell(c, env); got.Tier != policy.Forbidden {
			t.Errorf("%s: %s", name, got.Tier)
		}
	}
}

// embeddings puts every shape that hides a command into every place where a command may stand.
func TestShell_shapesInPlaces(t *testing.T) {
	t.Parallel()
	shapes := []string{
		"rm x", "x; rm x", "x\nrm x", "x & rm x", "x |& rm x", "cat <(rm x)", "cat > >(rm x)", "coproc rm x", "f(){ rm x; }; f", "[[ $(rm x) ]]", "let x=1",
		"a[$(id)]=1", "echo > /dev/tcp/x/1", "{rm,x}", "eval rm x", "$(rm x)", "`rm x`", "\"$(rm x)\"", "${x:-$(rm x)}", "$((x[$(rm x)]))", "case a in a) rm x;; esac",
		"select x in a; do rm x; done", "until rm x; do :; done", "exec rm x", "trap 'rm x' EXIT", "command rm x", "builtin rm", ". ./x", "source x", "$X", "\"$X\" y", "sh -c 'rm x'",
		"base64 -d x | sh", "printf x | bash",
	}
	places := []string{
		"%s", "(%s)", "{ %s; }", "! %s", "time %s", "if %s; then ls; fi", "if ls; then %s; fi", "if ls; then ls; else %s; fi", "if ls; then ls; elif %s; then ls; fi",
		"while %s; do ls; done", "while ls; do %s; done", "until ls; do %s; done", "for i in a b; do %s; done", "ls; %s", "%s; ls", "ls && %s", "ls || %s", "ls | (%s)",
		"(%s) | ls", "echo \"$(%s)\"", "echo $(%s)", "echo `%s`", "cat <<E\n$(%s)\nE", "cat <<< $(%s)", "x=$(%s)", "x=$(%s) ls", "ls > $(%s)", "ls 2> \"$(%s)\"",
		"ls $(ls $(%s))", "ls\n%s", "%s\nls", "ls # x\n%s", "ls \\\n; %s", "{ { { %s; }; }; }", "( ( ( %s ) ) )", "ls &&\n%s", "for i in $(%s); do ls; done",
		"true; true; true; %s", "echo a | while ls; do %s; done", "cat a.txt | { %s; }",
	}
	n := 0
	for _, s := range shapes {
		for _, p := range places {
			c := strings.Replace(p, "%s", s, 1)
			n++
			if got := policy.Shell(c, env); got.Tier.Rank() < policy.Red.Rank() {
				t.Errorf("%q is %s", c, got.Tier)
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d cases", n)
	}
}

func FuzzShell(f *testing.F) {
	all := everyLine(f)
	for i := 0; i < len(all); i += 40 { // before it looks for new ones a fuzzer runs them all, slowly
		f.Add(all[i])
	}
	f.Fuzz(func(t *testing.T, c string) { moreIsNotLess(t, c) })
}

// TestShell_moreIsNotLess holds for every line of the corpora what FuzzShell holds for others.
func TestShell_moreIsNotLess(t *testing.T) {
	t.Parallel()
	for _, c := range everyLine(t) {
		moreIsNotLess(t, c)
	}
}

func everyLine(t testing.TB) []string {
	return slices.Concat(corpus(t, "shell_harmless.txt"), commandsOf(adversarial(t)))
}

// moreIsNotLess says that a command has a class, and that another one behind it makes it no better.
func moreIsNotLess(t *testing.T, c string) {
	got := policy.Shell(c, env)
	if got.Tier == "" || got.Says == "" || got.Action == "" {
		t.Fatalf("%q: %+v", c, got)
	}
	if got.Tier == policy.Forbidden || strings.ContainsAny(c, "\\'\"`<#") { // more text could become part of a word or a comment
		return
	}
	if with := policy.Shell(c+"\nrm a.txt", env); with.Tier.Rank() < got.Tier.Rank() || with.Tier.Rank() < policy.Red.Rank() {
		t.Fatalf("%q is %s, with more %s", c, got.Tier, with.Tier)
	}
}
