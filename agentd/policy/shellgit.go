package policy

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// gitOperand is a revision, a range, a name, or a file: no address and no flag.
var gitOperand = lazyre.MustCompile(`^[A-Za-z0-9_./@{}~^*:+,=%()|# -]*$`)

func gitForm(first, short, long string) readForm {
	return readForm{first, grammar{tier: Green, short: short, long: long, digits: true, git: true}}
}

const (
	gitLog = "oneline stat graph all author= since= until= after= before= grep= pretty pretty= format= decorate decorate= name-only name-status no-merges merges " +
		"max-count= reverse follow abbrev-commit date= patch shortstat numstat first-parent no-color color color= no-decorate topo-order date-order skip= summary no-patch " +
		"unified= word-diff cached staged diff-filter= ignore-all-space minimal no-renames quiet branches tags remotes left-right cherry-pick committer= raw full-index relative-date no-pager check compact-summary dirstat ignore-space-change ignore-space-at-eol ignore-blank-lines text histogram patience find-renames function-context abbrev= inter-hunk-context= no-ext-diff no-textconv no-prefix"
	gitBranch = "all remotes verbose list show-current merged no-merged contains sort= format= points-at no-color color column"
)

// gitReads are the calls of git that only look. Hooks, filters and pagers that a repository names are switched off
// when they run (agentd/tools/shell/inside).
var gitReads = []readForm{
	gitForm("status", "sbuvz", "short branch porcelain porcelain= long untracked-files untracked-files= ignored show-stash no-ahead-behind"),
	gitForm("log", "n:pgiwbcS:G:L:U:qMC", gitLog), gitForm("diff", "pwbU:qMCzS:G:", gitLog), gitForm("show", "psqwbU:", gitLog), gitForm("shortlog", "snec", gitLog), gitForm("whatchanged", "n:p", gitLog),
	{"branch", grammar{tier: Green, short: "avr", long: gitBranch, words: map[string]Tier{}}},
	{"branch --show-current|branch -a|branch -v|branch -vv|branch -r|branch -av|branch -avv", grammar{tier: Green, short: "avr", long: gitBranch, words: map[string]Tier{}}},
	{"branch --list|branch --contains|branch --merged|branch --no-merged", grammar{tier: Green, long: "all sort= format=", git: true}},
	{"remote", grammar{tier: Green, short: "v", words: map[string]Tier{}}},
	{"remote -v|remote --verbose", nothing},
	{"remote get-url", named("", "all push")},
	{"tag", grammar{tier: Green, long: "sort= format= column no-column list", words: map[string]Tier{}}},
	{"remote show", nothing},
	{"tag -l|tag --list", grammar{tier: Green, short: "n", long: "sort= format= contains merged", git: true}},
	gitForm("blame", "L:wseltfnM", "date= since= root porcelain line-porcelain show-email"), gitForm("annotate", "", ""), gitForm("ls-files", "cdmoistuz", "others cached modified deleted exclude-standard stage full-name"),
	gitForm("ls-tree", "rdtlz", "name-only long full-tree full-name"), gitForm("rev-parse", "q", "abbrev-ref short short= verify show-toplevel git-dir is-inside-work-tree"), gitForm("rev-list", "n:", "count all max-count= since= until= no-merges left-right"),
	gitForm("describe", "", "tags always abbrev= long all exact-match"), gitForm("cat-file -p|cat-file -t|cat-file -s", "", ""), gitForm("merge-base", "", "is-ancestor all"), gitForm("name-rev", "", "name-only tags"),
	gitForm("stash list|stash show", "p", gitLog), gitForm("reflog show|worktree list|submodule status|notes list|notes show|bisect log", "n:", "oneline date= all max-count= porcelain"),
	{"reflog", grammar{tier: Green, short: "n:", long: "oneline date= all max-count=", digits: true, shape: lazyre.MustCompile(`^(?:[0-9]+|HEAD)$`)}},
	gitForm("grep", "niIlLcwvEFGPhHoqA:B:C:e:", "count ignore-case line-number cached and or not name-only heading break untracked"), gitForm("count-objects", "vH", ""), gitForm("check-ignore", "vnq", ""), gitForm("show-ref", "dsq", "heads tags"), gitForm("for-each-ref", "", "format= sort= count="),
	{"config --list|config -l|config --local --list|config --get|config --get-all|config --local --get|config get|config list", named("", "show-origin name-only local show-scope")},
	{"config", grammar{tier: Green, shape: lazyre.MustCompile(`^[A-Za-z0-9-]+\.[A-Za-z0-9.-]+$`), max: 1}},
	gitForm("verify-commit|verify-tag|diff-tree|cherry|range-diff", "prv", "stat name-only name-status no-commit-id"),
	gitForm("fsck", "", "full strict unreachable no-dangling connectivity-only no-progress"), gitForm("show-branch", "ar", "all remotes current topo-order sha1-name no-name list more= no-color"), gitForm("check-attr -a|check-attr --all", "z", "cached"),
	{"version", nothing},
}

// gitPrefix skips the flags of git itself that change nothing but where and how it prints.
func gitPrefix(args []arg, j *judge) []arg {
	for len(args) > 0 {
		switch {
		case args[0].text == "--no-pager" || args[0].text == "--no-optional-locks" || args[0].text == "--literal-pathspecs":
			args = args[1:]
		case args[0].text == "-C" && len(args) > 1 && args[1].fixed && !strings.HasPrefix(args[1].text, "-"):
			j.path(args[1], false, nil)
			args = args[2:]
		default:
			return args
		}
	}
	return args
}

// gitWorst are words that make a command of git lose what nobody else has.
var gitWorst = words("--force -f --mirror --delete -d --force-with-lease --prune --force-if-includes")

// git reads in the forms above, and is red otherwise; what rewrites or deletes at others is critical.
func (j *judge) git(args []arg) {
	rest := gitPrefix(args, j)
	helps := anyWord(rest, func(w string) bool { return w == "--help" }) // it opens a page of the manual, in a pager
	if !helps && j.looks("git", rest) {
		return
	}
	j.unknown("git", args)
	verb := ""
	if len(rest) > 0 {
		verb = rest[0].text
	}
	for i, a := range rest {
		if gitWorst[a.text] && verb == "push" || verb == "push" && i > 1 && (strings.HasPrefix(a.text, "+") || strings.HasPrefix(a.text, ":")) {
			j.raise(CriticalRed, "It rewrites or deletes what others have.")
		}
	}
	if verb == "filter-branch" || verb == "filter-repo" || verb == "update-ref" || verb == "gc" || verb == "prune" || verb == "reflog" && len(rest) > 1 || verb == "stash" && len(rest) > 1 && rest[1].text == "clear" {
		j.raise(CriticalRed, "It deletes history that cannot be brought back.")
	}
	if i := strings.IndexFunc(joinedArgs(args), func(r rune) bool { return r == '\n' }); i >= 0 {
		j.raise(Forbidden, "A word holds a line end.")
	}
}

func joinedArgs(args []arg) string {
	var b strings.Builder
	for _, a := range args {
		b.WriteString(a.text)
		b.WriteByte(' ')
	}
	return b.String()
}

// revision judges an operand of git: HEAD:path is a file, too.
func (j *judge) revision(a arg) {
	text := a.text
	if _, file, ok := strings.Cut(text, ":"); ok && !strings.HasPrefix(text, ":") {
		text = file
	}
	text = strings.TrimPrefix(text, ":(glob)")
	for at := strings.LastIndexAny(a.text, ":)"); at >= 0; at = strings.LastIndexAny(a.text[:at], ":)") {
		j.path(arg{text: strings.TrimLeft(a.text[at+1:], "/!^"), fixed: true}, false, nil) // :0:file, ^{/text: more}:file, :(top)file
	}
	if !a.fixed && a.origin > plain || strings.Contains(a.text, "://") || strings.Contains(a.text, "::") || !gitOperand.MatchString(text) {
		j.raise(Red, "The gate does not understand this operand of git.")
	}
	j.path(arg{text: strings.TrimPrefix(text, ":"), fixed: a.fixed, origin: a.origin, glob: a.glob}, false, nil)
}
