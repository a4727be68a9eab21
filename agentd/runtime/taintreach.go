package runtime

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/policy"
)

// reach is which files a command may show or write: those that its operands lead to, or, as far as can be told, any.
type reach struct {
	any      bool
	operands []string
	dirs     []string // where it may stand, from the data folder
}

// maxDirs is in how many folders a command may stand before it counts as standing in any.
const maxDirs = 8

// reachOf reads it from the text of a command. What is not plainly written out may be any file.
func reachOf(command string) reach {
	file, err := policy.ParseShell(command)
	if err != nil {
		return reach{any: true}
	}
	r := &reach{dirs: []string{""}}
	r.list(file.Stmts)
	return *r
}

func (r *reach) list(all []*syntax.Stmt) {
	for _, s := range all {
		r.stmt(s)
	}
}

func (r *reach) stmt(s *syntax.Stmt) {
	r.any = r.any || s.Background || s.Coprocess
	for _, to := range s.Redirs {
		r.redirect(to)
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		r.assigns(c.Assigns)
		r.call(c.Args)
	case *syntax.BinaryCmd:
		r.stmt(c.X)
		r.stmt(c.Y)
	case *syntax.Subshell:
		r.list(c.Stmts)
	case *syntax.Block:
		r.list(c.Stmts)
	default:
		r.any = true
	}
}

func (r *reach) redirect(to *syntax.Redirect) {
	word, plain := plainWord(to.Word)
	r.any = r.any || !plain || to.Hdoc != nil
	r.names(word)
}

// assigns takes values that are written out: a word that uses them is not.
func (r *reach) assigns(all []*syntax.Assign) {
	for _, a := range all {
		_, plain := plainWord(a.Value)
		r.any = r.any || !plain || a.Array != nil || a.Index != nil
	}
}

// names notes operands, from wherever the command may stand.
func (r *reach) names(words ...string) {
	for _, w := range words {
		if path.IsAbs(w) {
			r.operands = append(r.operands, w)
			continue
		}
		for _, dir := range r.dirs {
			r.operands = append(r.operands, beneath(dir, w))
		}
	}
}

// beneath is not cleaned: what lies above a link is not what is written before it.
func beneath(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

func (r *reach) call(args []*syntax.Word) {
	words := make([]string, len(args))
	plain := true
	for i, w := range args {
		var ok bool
		words[i], ok = plainWord(w)
		plain = plain && ok
	}
	if len(words) == 0 {
		return
	}
	prog, words := words[0], words[1:]
	switch {
	case slices.Contains(showsNothing, prog):
		r.within(args[1:])
	case !plain:
		r.any = true
	case prog == "cd":
		r.goes(words)
	case prog == "find":
		r.any = r.any || slices.ContainsFunc(words, findActs.MatchString)
	case asksMachine(prog, words):
		r.named(words)
	default:
		r.shows(prog, words)
	}
}

// within looks at the commands in words that are otherwise of no account.
func (r *reach) within(words []*syntax.Word) {
	for _, w := range words {
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst:
				r.list(n.Stmts)
				return false
			case *syntax.ProcSubst:
				r.any = true
			}
			return true
		})
	}
}

// goes notes that the command may stand elsewhere from here on, or still where it stood.
func (r *reach) goes(words []string) {
	if len(words) != 1 || strings.HasPrefix(words[0], "-") || len(r.dirs) > maxDirs/2 {
		r.any = true
		return
	}
	for _, dir := range slices.Clone(r.dirs) {
		to := words[0]
		if !path.IsAbs(to) {
			to = beneath(dir, to)
		}
		r.dirs = append(r.dirs, to)
	}
}

// named notes every name that may stand in words, in a flag too.
func (r *reach) named(words []string) {
	for _, w := range words {
		r.names(w)
		if _, value, ok := strings.Cut(w, "="); ok {
			r.names(value)
		}
		if strings.HasPrefix(w, "-") && len(w) > 2 {
			r.names(w[2:])
		}
	}
}

// shows judges a program of the tables by its flags.
func (r *reach) shows(prog string, words []string) {
	harmless, content := showsOperands[prog]
	if names, ok := showsNames[prog]; ok {
		harmless = names
	} else if !content {
		r.any = true
	}
	operands := slices.DeleteFunc(slices.Clone(words), harmless.have)
	flagged := slices.ContainsFunc(operands, func(w string) bool { return isFlag(w) && w != "-" })
	r.any = r.any || flagged || strays(prog, words, operands)
	if content {
		r.names(operands...)
	}
}

// strays says whether a program that else shows its operands does more because of how many there are, or what they say:
// grep goes through folders, ln makes a link where the command stands, sed obeys.
func strays(prog string, words, operands []string) bool {
	switch prog {
	case "grep":
		return slices.ContainsFunc(words, recurses) && len(operands) < leastOf(words)
	case "ln":
		return len(operands) < 2
	case "sed":
		return len(words) < 2 || words[0] != "-n" || !picksLines.MatchString(words[1])
	}
	return false
}

// leastOf is how many operands grep has at least when one of them names a file: flags take some, and one is the pattern
// where no flag gives it.
func leastOf(words []string) int {
	least := 2
	if slices.ContainsFunc(words, givesPattern.MatchString) {
		least = 1
	}
	for _, w := range words {
		if takesNext.MatchString(w) {
			least++
		}
	}
	return least
}

func recurses(word string) bool {
	return isFlag(word) && !strings.HasPrefix(word, "--") && strings.ContainsAny(word, "rR")
}

var (
	// flagLike is a group of flags of one letter, with a number or a mark behind.
	flagLike = lazyre.MustCompile(`^-([A-Za-z0-9]+)[0-9,;:|+-]*$`)
	// valueLike is the value of a flag, and no path.
	valueLike = lazyre.MustCompile(`^[A-Za-z0-9_,:+%.*-]*$`)
)

// have says whether a word is made of these flags alone.
func (f flags) have(word string) bool {
	if long, ok := strings.CutPrefix(word, "--"); ok {
		name, value, valued := strings.Cut(long, "=")
		if valued {
			name += "="
		}
		return valueLike.MatchString(value) && slices.Contains(strings.Fields("help version "+f.long), name)
	}
	m := flagLike.FindStringSubmatch(word)
	return m != nil && strings.Trim(m[1], f.short+"0123456789") == ""
}

// plainWord is the text of a word that is written out: no part of it is worked out when it runs.
func plainWord(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", true
	}
	text, plain := "", true
	for _, p := range w.Parts {
		part, ok := plainPart(p)
		text, plain = text+part, plain && ok
	}
	return text, plain && !strings.HasPrefix(text, "~")
}

// meaning is a backslash between double quotes that takes the meaning of what follows, and does not stand for itself.
var meaning = lazyre.MustCompile("\\\\[$`\"\\\\\n]")

func plainPart(p syntax.WordPart) (string, bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		return p.Value, !strings.ContainsAny(p.Value, `*?[]{}\`)
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		text, plain := "", !p.Dollar
		for _, in := range p.Parts {
			lit, ok := in.(*syntax.Lit)
			if !ok || meaning.MatchString(lit.Value) {
				return "", false
			}
			text += lit.Value
		}
		return text, plain
	}
	return "", false
}
