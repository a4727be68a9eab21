package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/lazyre"
)

var (
	programName = lazyre.MustCompile(`^(\[|[A-Za-z_][A-Za-z0-9_.+-]*|\.|:)$`)
	// passedOn are the variables that a program may be given; all others stay empty.
	passedOn = []string{"LANG", "LC_ALL", "LC_TIME", "LC_NUMERIC", "LC_COLLATE", "LC_CTYPE", "TZ", "COLUMNS", "NO_COLOR"}
)

// Binaries are the folders in which programs are looked for, in order.
var Binaries = []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}

// call judges one plain command with its assignments.
func (j *judge) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		j.assign(a, len(c.Args) > 0)
	}
	args := make([]arg, 0, len(c.Args))
	for _, w := range c.Args {
		args = append(args, j.word(w))
	}
	if len(args) > 0 {
		j.argv(args)
	}
}

// assign judges name=value, alone or before a command.
func (j *judge) assign(a *syntax.Assign, before bool) {
	if a.Append || a.Naked || a.Index != nil || a.Array != nil || a.Name == nil {
		j.cannot("arrays and appending to variables")
		j.inside(a)
		return
	}
	value := arg{fixed: true}
	if a.Value != nil {
		value = j.word(a.Value)
	}
	j.variable(a.Name.Value, value, before)
}

// variable judges setting one variable, for this text or for one program.
func (j *judge) variable(name string, value arg, forProgram bool) {
	switch {
	case forProgram && (!slices.Contains(passedOn, name) || !value.fixed || strings.ContainsAny(value.text, "/%(){}")):
		j.raise(Forbidden, "Programs are given no variables but a few about language and time.")
	case !forProgram && (name == "PATH" || name == "IFS" || name == "PWD" || name == "HOME" || strings.HasPrefix(name, "LD_")):
		j.raise(Forbidden, "This variable cannot be set.")
	case !forProgram:
		j.raise(Red, "The value of a variable is only known when it runs.")
	}
}

// argv judges one command by its words.
func (j *judge) argv(args []arg) {
	name := args[0]
	switch {
	case len(args) > maxWords:
		j.raise(Forbidden, "The command has too many words.")
		return
	case !name.fixed || name.glob:
		j.raise(Forbidden, "The name of a command must be written out.")
		return
	}
	prog, why := program(name.text)
	if why != "" {
		j.raise(Forbidden, why)
		return
	}
	j.programs = append(j.programs, prog)
	j.known(prog, args[1:])
}

// program is the bare name of a command, or why it is none that may run.
func program(name string) (prog, why string) {
	if dir, base := path.Split(name); dir != "" {
		if !slices.Contains(Binaries, path.Clean(dir)) || !path.IsAbs(name) {
			return "", "Only programs of the system run, not files of the data folder or elsewhere."
		}
		name = base
	}
	if !programName.MatchString(name) {
		return "", "The name of the command is not one of a program."
	}
	return name, ""
}

// Never says why a program may not run, whoever approves; empty when it may.
func Never(prog string) string {
	if why, ok := never[prog]; ok {
		return why
	}
	return never[family(prog)]
}

// family is a name without its version: python3.11 is a python, mkfs.ext4 a mkfs.
func family(prog string) string {
	name, _, _ := strings.Cut(prog, ".")
	return strings.TrimRight(name, "0123456789-")
}

// known looks the program up: forbidden ones, those with a grammar of their own, the table, and the rest.
func (j *judge) known(prog string, args []arg) {
	_, own := clients[prog]
	if prog != "git" && !own && j.looks(prog, args) {
		return
	}
	if why := Never(prog); why != "" {
		j.raise(Forbidden, why)
		return
	}
	if f, ok := special[prog]; ok {
		f(j, args)
		return
	}
	if s, ok := table[prog]; ok {
		j.grammar(s, args)
		return
	}
	j.unknown(prog, args)
}

// unknown judges a program that the table does not know, and what stands behind it in case it starts that.
func (j *judge) unknown(prog string, args []arg) {
	tier, ok := risky[prog]
	if !ok {
		tier, ok = risky[family(prog)]
	}
	if !ok {
		tier = Red
	}
	j.raise(tier, "The gate does not know what "+cut(prog, 40)+" would do.")
	for _, a := range args {
		j.loose(a)
	}
	j.behind(args)
}

// behind judges every word as if a command began there, once.
func (j *judge) behind(args []arg) {
	if j.scanning {
		return
	}
	j.scanning = true
	defer func() { j.scanning = false }()
	for i, a := range args {
		if a.fixed && startsSomething(a.text) {
			j.argv(args[i:])
		}
	}
}

// loose looks at a word of an unknown program: a path in it may not be one that nobody may touch.
func (j *judge) loose(a arg) {
	text := a.text
	if _, value, ok := strings.Cut(text, "="); ok {
		text = value
	}
	text = strings.TrimLeft(text, "@<>") // curl --data @file
	if text == "" || strings.HasPrefix(text, "-") || badName(text) != "" {
		return
	}
	p := j.abs(text)
	name := p
	if rel, _, ok := Rel(p, j.env); ok {
		name = rel
	}
	if ownFolder(p, j.env) != "" || Protected(name, j.env) != "" {
		j.raise(Forbidden, "The command names a file that may not be touched.")
	}
	switch {
	case within(p, "/dev") && !slices.Contains(harmless, p):
		j.raise(Forbidden, "The command names a device.")
	case text != "/" && slices.ContainsFunc(system, func(dir string) bool { return within(p, dir) }):
		j.raise(CriticalRed, "It may change the machine itself.")
	}
}

// startsSomething says whether a word is the name of a program that the gate has an opinion on.
func startsSomething(word string) bool {
	prog, why := program(word)
	if why != "" {
		return false
	}
	a := Never(prog) != ""
	_, b := special[prog]
	_, c := table[prog]
	_, d := risky[family(prog)]
	return a || b || c || d
}
