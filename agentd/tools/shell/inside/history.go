package inside

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/policy"
)

// histories are the commands of git that can show what files hold without naming them, and the flags with which they
// tell the names of those files instead. Without flags, every name that the repository knows is looked at.
var histories = map[string][]string{
	"log": namesOnly, "show": namesOnly, "diff": namesOnly, "whatchanged": namesOnly, "diff-tree": namesOnly,
	"stash show": namesOnly, "stash list": namesOnly,
	"grep": {"--files-with-matches", "-z"}, "cat-file": nil, "status": nil, "range-diff": nil, "archive": nil, "format-patch": nil,
}

var namesOnly = []string{"--name-status", "-z"}

var (
	// quietFlag shows nothing of what files hold; valuedFlag does not either, and the next word may be its value.
	quietFlag = lazyre.MustCompile(`^(?:-[0-9]+|-[nSG].+|-[giwbMCsq]+|` +
		`--(?:oneline|graph|all|reverse|follow|abbrev-commit|first-parent|` +
		`(?:no-)?(?:color|merges|decorate|renames|patch)|` +
		`topo-order|date-order|branches|tags|remotes|left-right|cherry-pick|cached|staged|` +
		`relative-date|quiet|ignore-[a-z-]+|find-renames|abbrev|no-ext-diff|no-textconv|` +
		`stat|shortstat|numstat|summary|compact-summary|dirstat|raw|name-only|name-status)|` +
		`--(?:stat|dirstat|author|committer|since|until|after|before|grep|pretty|format|date|max-count|skip|decorate|color|abbrev|` +
		`diff-filter|find-renames)=.*|--)$`)
	valuedFlag = lazyre.MustCompile(`^(?:-[nSG]|--(?:author|committer|since|until|after|before|grep|date|max-count|skip|pretty|` +
		`format|diff-filter))$`)
	// instead are flags with which diff and show print something else than what files hold.
	instead = lazyre.MustCompile(`^(?:-s|-q|--quiet|--no-patch|--(?:stat|dirstat)(?:=.*)?|` +
		`--(?:shortstat|numstat|summary|compact-summary|raw|name-only|name-status))$`)
	// unnamed are flags that cannot stand beside those that tell names.
	unnamed = lazyre.MustCompile(`^(?:-L.*|--check)$`)
	// statusWord ends what git prints before a name: the letter of a change.
	statusWord = lazyre.MustCompile(`(?:^|[^A-Za-z0-9])(?:[A-Z]{1,8}|[RC][0-9]+)$`)
	// rawFormat prints what a name of the repository stands for, which may be the content of a file.
	rawFormat = lazyre.MustCompile(`%\(\*?raw`)
	template  = lazyre.MustCompile(`(?i)(?:env[._-](?:example|sample|template|dist|defaults?)|\.pub)$`)
)

// history refuses a command of git that would show what a file holds, or held once, that may not be touched by name.
func (r *runner) history(c gitCall, env []string) error {
	flags, known := histories[c.verb]
	if (c.verb == "for-each-ref" || c.verb == "tag" || c.verb == "branch") && slices.ContainsFunc(c.words, rawFormat.MatchString) {
		return errors.New("refused: %(raw) may be the content of a file")
	}
	if !known || !showsContent(c.verb, c.words) {
		return nil
	}
	if err := r.objects(c, env); err != nil || c.verb == "cat-file" {
		return err
	}
	if flags == nil || slices.ContainsFunc(c.words, unnamed.MatchString) {
		return r.everyName(c.before, env)
	}
	return r.shown(c.with(flags), env)
}

// showsContent says whether a command may print what files hold. In doubt it does.
func showsContent(verb string, words []string) bool {
	switch verb {
	case "grep", "cat-file", "range-diff", "archive", "format-patch":
		return true
	case "status":
		return slices.ContainsFunc(words, func(w string) bool {
			return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "v") || strings.HasPrefix(w, "--v")
		})
	}
	other, asked := false, false // something else is printed instead; the word before asks for this one
	for _, w := range words {
		if strings.HasPrefix(w, "-") && !quietFlag.MatchString(w) && !valuedFlag.MatchString(w) {
			return true
		}
		other = other || !asked && instead.MatchString(w)
		asked = valuedFlag.MatchString(w)
	}
	return !other && (verb == "show" || verb == "diff")
}

// objects refuses what is named by a hash or a tag of its own, and is the content of a file or a folder: nothing tells
// of which. A folder alone may be listed.
func (r *runner) objects(c gitCall, env []string) error {
	if c.verb == "cat-file" && len(c.words) > 0 && (c.words[0] == "-t" || c.words[0] == "-s") {
		return nil
	}
	var ask strings.Builder
	var inside []bool // what is asked for is a part of it
	for _, w := range c.words {
		for part := range strings.SplitSeq(strings.ReplaceAll(w, "...", ".."), "..") {
			name, _, in := strings.Cut(strings.TrimLeft(part, "^"), ":")
			if name == "" || strings.HasPrefix(name, "-") || strings.Contains(name, "\n") {
				continue
			}
			ask.WriteString(name + "^{}\n")
			inside = append(inside, in || c.verb != "show" && c.verb != "cat-file")
		}
	}
	out, err := r.askGit(slices.Concat(c.before, []string{"cat-file", "--batch-check"}), env, ask.String())
	if err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if strings.Contains(line, " blob ") || strings.Contains(line, " tree ") && inside[i] {
			return errors.New("refused: nothing tells of which file that is the content. Name it with the file: HEAD:path")
		}
	}
	return nil
}

// everyName looks at all names that the repository knows, now and before.
func (r *runner) everyName(before, env []string) error {
	all := []string{"log", "--all", "--reflog", "-m", "--name-status", "-z", "--format="}
	if err := r.shown(slices.Concat(before, all), env); err != nil {
		return err
	}
	out, err := r.askGit(slices.Concat(before, []string{"ls-files", "-z"}), env, "")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(out, "\x00") {
		if err := r.untouchable(name); err != nil {
			return err
		}
	}
	return nil
}

// shown looks at the names that git tells: of changes behind their letters, of found files alone, with the revision.
func (r *runner) shown(words, env []string) error {
	out, err := r.askGit(words, env, "")
	if err != nil {
		return err
	}
	tokens := strings.Split(out, "\x00")
	found := slices.Contains(words, "--files-with-matches")
	for i, name := range tokens {
		if !found && (i == 0 || !statusWord.MatchString(tokens[i-1])) && (i < 2 || !statusWord.MatchString(tokens[i-2])) {
			continue
		}
		for {
			if err := r.untouchable(name); err != nil {
				return err
			}
			_, rest, ok := strings.Cut(name, ":")
			if !ok {
				break
			}
			name = rest
		}
	}
	return nil
}

// untouchable says why a file that a repository knows may not be shown. Templates of settings hold none, and the names
// of the folders above them count as ever.
func (r *runner) untouchable(name string) error {
	look := name
	if template.MatchString(filepath.Base(name)) {
		look = filepath.Dir(name)
	}
	if why := policy.Protected(look, r.env); name != "" && why != "" {
		return fmt.Errorf("refused: %s lies in what it would show. %s Name the files that you need: git … -- path",
			filepath.Base(name), why)
	}
	return nil
}
