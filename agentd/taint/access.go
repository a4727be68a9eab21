package taint

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/policy"
)

// access is which files a call may read or write: those that its operands lead to, or any.
type access struct {
	any      bool
	operands []string
	dirs     []string // where a command may stand, from the data folder
}

// maxDirs is how many folders are followed. A command that may stand in more may stand anywhere.
const maxDirs = 8

// accessOf is the access of a call that shows files or runs a command.
func accessOf(tool, args string) access {
	if tool == "shell" {
		var in policy.ShellArgs
		if json.Unmarshal([]byte(args), &in) != nil {
			return access{any: true}
		}
		return commandAccess(in.Command)
	}
	var in policy.FileReadArgs
	if json.Unmarshal([]byte(args), &in) != nil {
		return access{any: true} // something was read, nobody knows what
	}
	return access{operands: []string{in.Path}}
}

// commandAccess is the access of a command. A word that is only known when the command runs may name any file.
func commandAccess(command string) access {
	file, err := policy.ParseShell(command)
	if err != nil {
		return access{any: true}
	}
	a := &access{dirs: []string{""}}
	a.list(file.Stmts)
	return *a
}

func (a *access) list(all []*syntax.Stmt) {
	for _, s := range all {
		a.stmt(s)
	}
}

func (a *access) stmt(s *syntax.Stmt) {
	a.any = a.any || s.Background || s.Coprocess
	for _, to := range s.Redirs {
		a.redirect(to)
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		a.assigns(c.Assigns)
		a.program(c.Args)
	case *syntax.BinaryCmd:
		a.stmt(c.X)
		a.stmt(c.Y)
	case *syntax.Subshell:
		a.list(c.Stmts)
	case *syntax.Block:
		a.list(c.Stmts)
	default:
		a.any = true
	}
}

func (a *access) redirect(to *syntax.Redirect) {
	word, literal := literalWord(to.Word)
	a.any = a.any || !literal || to.Hdoc != nil
	a.add(word)
}

// assigns accepts literal values only: a word that uses them later is not literal.
func (a *access) assigns(all []*syntax.Assign) {
	for _, one := range all {
		_, literal := literalWord(one.Value)
		a.any = a.any || !literal || one.Array != nil || one.Index != nil
	}
}

// add adds operands, from each folder where the command may stand.
func (a *access) add(words ...string) {
	for _, w := range words {
		if path.IsAbs(w) {
			a.operands = append(a.operands, w)
			continue
		}
		for _, dir := range a.dirs {
			a.operands = append(a.operands, beneath(dir, w))
		}
	}
}

// beneath joins names without cleaning them: ".." after a link leads elsewhere.
func beneath(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// program judges one simple command by its program.
func (a *access) program(args []*syntax.Word) {
	words := make([]string, len(args))
	literal := true
	for i, w := range args {
		var ok bool
		words[i], ok = literalWord(w)
		literal = literal && ok
	}
	if len(words) == 0 {
		return
	}
	name, words := words[0], words[1:]
	switch {
	case slices.Contains(showsNothing, name):
		a.substitutions(args[1:])
	case !literal:
		a.any = true
	case name == "cd":
		a.chdir(words)
	case name == "find":
		a.any = a.any || slices.ContainsFunc(words, findAction.MatchString)
	case showsMachine(name, words):
		a.anyName(words)
	default:
		a.known(name, words)
	}
}

// substitutions looks at the commands in words that do not matter otherwise.
func (a *access) substitutions(words []*syntax.Word) {
	for _, w := range words {
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst:
				a.list(n.Stmts)
				return false
			case *syntax.ProcSubst:
				a.any = true
			}
			return true
		})
	}
}

// chdir notes that the command may stand elsewhere from here on, or still where it stood.
func (a *access) chdir(words []string) {
	if len(words) != 1 || strings.HasPrefix(words[0], "-") || len(a.dirs) > maxDirs/2 {
		a.any = true
		return
	}
	for _, dir := range slices.Clone(a.dirs) {
		to := words[0]
		if !path.IsAbs(to) {
			to = beneath(dir, to)
		}
		a.dirs = append(a.dirs, to)
	}
}

// anyName adds every name that words may hold, also within a flag.
func (a *access) anyName(words []string) {
	for _, w := range words {
		a.add(w)
		if _, value, ok := strings.Cut(w, "="); ok {
			a.add(value)
		}
		if strings.HasPrefix(w, "-") && len(w) > 2 {
			a.add(w[2:])
		}
	}
}

// known judges a program of the tables by its flags. Any other program may read any file.
func (a *access) known(name string, words []string) {
	harmless, content := showsOperands[name]
	if flags, ok := showsNames[name]; ok {
		harmless = flags
	} else if !content {
		a.any = true
	}
	operands := slices.DeleteFunc(slices.Clone(words), harmless.have)
	flagged := slices.ContainsFunc(operands, func(w string) bool { return isFlag(w) && w != "-" })
	a.any = a.any || flagged || readsMore(name, words, operands)
	if content {
		a.add(operands...)
	}
}

// readsMore reports whether a program that normally reads its operands reads or writes other files: grep walks folders, ln
// makes a link where the command stands, sed runs a script.
func readsMore(name string, words, operands []string) bool {
	switch name {
	case "grep":
		return slices.ContainsFunc(words, isRecursive) && len(operands) < minGrepOperands(words)
	case "ln":
		return len(operands) < 2
	case "sed":
		return len(words) < 2 || words[0] != "-n" || !printsLines.MatchString(words[1])
	}
	return false
}

// minGrepOperands is how many operands grep has at least when one of them names a file: some flags take one, and one is the
// pattern unless a flag gives it.
func minGrepOperands(words []string) int {
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

func isRecursive(word string) bool {
	return isFlag(word) && !strings.HasPrefix(word, "--") && strings.ContainsAny(word, "rR")
}
