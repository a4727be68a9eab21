package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of a shell command. Beyond any of them it is forbidden: a limit that lets through what it cannot look at is
// a hole.
const (
	maxCommand  = 64 << 10 // bytes
	maxCommands = 10_000   // commands in one text
	maxWords    = 1024     // words of one command
	maxNesting  = 100      // brackets within brackets
)

// ShellPlan is what a shell command would do, as far as its text tells.
type ShellPlan struct {
	Class    Class
	Writes   []string // paths in the data root that it would write, as Rel gives them: what is there is lost
	Merges   []string // folders in the data root into which it would copy whole folders: files of theirs may be lost
	Trees    []string // files and folders that it works on with all that is in them, absolute
	Programs []string // names of the programs, in order
	Stranger string   // one of them of which the gate does not know what it would do, or empty
}

// Shell classifies a command of the shell tool: the worst of every command in it.
func Shell(command string, env Env) Class { return PlanShell(command, env).Class }

// PlanShell is Shell with what else the text tells.
func PlanShell(command string, env Env) ShellPlan {
	file, err := ParseShell(command)
	if err != nil {
		return ShellPlan{Class: Refuse("server.shell.run", err.Error())}
	}
	j := &judge{env: env, tier: Green, scope: newScope(file), input: plain}
	j.list(file.Stmts)
	return j.plan(command)
}

func (j *judge) plan(command string) ShellPlan {
	return ShellPlan{Class: j.class(command), Writes: j.writes, Merges: j.merges, Trees: j.trees, Programs: j.programs, Stranger: j.stranger}
}

// ParseShell reads a command strictly. The runner walks the very tree that was classified: same function, same text,
// same tree, and no second parser to disagree.
func ParseShell(command string) (*syntax.File, error) {
	if why := badText(command); why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil, fmt.Errorf("The command cannot be read: %s", visible(err.Error()))
	}
	if len(file.Stmts) == 0 {
		return nil, fmt.Errorf("The command is empty.")
	}
	return file, nil
}

// badText refuses what parsers and people read differently: control characters, spaces that are none, and nesting
// that is there to exhaust.
func badText(s string) string {
	switch {
	case len(s) > maxCommand:
		return fmt.Sprintf("The command is longer than %d bytes.", maxCommand)
	case !utf8.ValidString(s):
		return "The command is not valid UTF-8."
	case strings.ContainsFunc(s, badRune):
		return "The command holds characters that cannot be seen. Only plain spaces, tabs and line feeds may stand between words."
	case nesting(s) > maxNesting:
		return "The command is nested too deep."
	}
	return ""
}

func badRune(r rune) bool {
	return r != '\n' && r != '\t' && (hidden(r) || r > unicode.MaxASCII && unicode.IsSpace(r))
}

// nesting is an upper bound of how deep brackets stand in each other, quoted or not.
func nesting(s string) int {
	deepest, depth := 0, 0
	for _, r := range s {
		switch r {
		case '(', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', '}':
			depth--
		}
	}
	return max(deepest, strings.Count(s, "`")/2)
}
