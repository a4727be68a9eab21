package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/lazyre"
)

var (
	programName = lazyre.MustCompile(`^(\[|[A-Za-z_][A-Za-z0-9_.+-]*|7z[arz]?|\.|:)$`)
	// passedOn are the variables that a program may be given; all others stay empty.
	passedOn = []string{"LANG", "LC_ALL", "LC_TIME", "LC_NUMERIC", "LC_COLLATE", "LC_CTYPE", "TZ", "COLUMNS", "NO_COLOR"}
)

// shellOwn are variables that mean something to shells.
var shellOwn = words("PATH IFS PWD OLDPWD HOME ENV SHELL SHELLOPTS PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL CDPATH GLOBIGNORE TMPDIR REPLY")

// timeZone is the name of a time zone, beneath the folder of the system.
var timeZone = lazyre.MustCompile(`^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z][A-Za-z0-9_+-]*){0,2}$`)

// Binaries are the folders in which programs are looked for, in order.
var Binaries = []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}

// call judges one plain command with its assignments, once for each choice of what its variables hold.
func (j *judge) call(c *syntax.CallExpr) {
	name := ""
	if len(c.Args) > 0 {
		name = c.Args[0].Lit()
	}
	for _, a := range c.Assigns {
		if a.Name != nil && a.Name.Value == "IFS" && name == "read" && a.Array == nil {
			j.look(a.Value)
			continue
		}
		j.assign(a, len(c.Args) > 0)
	}
	for _, w := range c.Args {
		j.look(w)
	}
	if len(c.Args) == 0 || j.calls(c, name) {
		return
	}
	for i, b := range j.scope.bindings(j.env, c.Args...) {
		if i > 0 {
			j.count()
		}
		first := literal(c.Args[0])
		if first.origin = j.scope.origin(c.Args[0], nil); first.origin != known || hasBraces(c.Args[0]) || tilde(c.Args[0]) {
			first.fixed = false
		}
		args := []arg{first}
		for _, w := range c.Args[1:] {
			args = append(args, j.args(w, b)...)
		}
		j.argv(args)
	}
}

// calls says whether a command is a call of a function. Functions are called behind where they end, so none calls
// itself.
func (j *judge) calls(c *syntax.CallExpr, name string) bool {
	f := j.scope.functions[name]
	if f == nil || name == "" {
		return false
	}
	if c.Pos().Offset() < f.End().Offset() || len(c.Args)-1 > maxParams || len(c.Assigns) > 0 {
		j.cannot("this call of a function")
	}
	return true
}

// assign judges name=value, alone or before a command.
func (j *judge) assign(a *syntax.Assign, before bool) {
	if a.Name == nil || before && (a.Append || a.Array != nil || a.Index != nil) {
		j.cannot("this kind of assignment")
		j.inside(a)
		return
	}
	value := arg{fixed: true}
	if a.Value != nil {
		j.look(a.Value)
		v := j.scope.textValue(a.Value)
		value = arg{text: strings.Join(v.texts, ""), fixed: v.origin == known && len(v.texts) == 1}
	}
	if a.Index != nil {
		j.index(a.Name.Value, a.Index)
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Index != nil && !j.scope.maps[a.Name.Value] {
				j.cannot("this kind of array")
			} else if e.Index != nil {
				j.index(a.Name.Value, e.Index)
			}
			j.look(e.Value)
		}
	}
	j.variable(a.Name.Value, value, before)
}

// variable judges setting one variable, for this text or for one program.
func (j *judge) variable(name string, value arg, forProgram bool) {
	switch {
	case forProgram && name == "TZ" && value.fixed && timeZone.MatchString(value.text):
	case forProgram && (!slices.Contains(passedOn, name) || !value.fixed || strings.ContainsAny(value.text, "/%(){}")):
		j.raise(Forbidden, "Programs are given no variables but a few about language and time.")
	case !forProgram && (shellOwn[name] || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "GIT_")):
		j.raise(Forbidden, "This variable cannot be set.")
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

// family is a name without its version: python3.11 is a python, mkfs.ext4 a mkfs. A script.py is no script.
func family(prog string) string {
	name, kind, _ := strings.Cut(prog, ".")
	if fileKinds[kind] {
		return prog
	}
	return strings.TrimRight(name, "0123456789-")
}

// fileKinds are endings of files that are no programs of the system.
var fileKinds = words("bak c cfg conf csv css go gz html ini java js json log lua md old out php pl py rb rs sh sql tar toml ts txt xml yaml yml zip")

// known looks the program up: forbidden ones, those with a grammar of their own, the table, and the rest.
func (j *judge) known(prog string, args []arg) {
	for _, a := range args {
		if !a.fixed {
			j.unsure(prog, a)
		}
	}
	j.told(prog, args)
}

// unsure judges a word that is not known before it runs, by what the worst word would make of the program.
func (j *judge) unsure(prog string, a arg) {
	g, listed := table[prog]
	switch {
	case passing[prog], prog == "date" && neverClock(a): // the grammar knows where such a word may stand
	case mild[prog] && (listed && g.tier == Green || openTo[prog]):
	case openTo[prog] || readForms[prog] != nil || listed && g.tier == Green:
		if a.origin >= found && !(a.one && a.led) {
			j.raise(Red, "What it does is only known when it runs.")
		}
	default:
		j.raise(Red, "What it works on is only known when it runs.")
	}
}

var (
	// passing are programs that run another one, which is judged with the same words.
	passing = words("xargs nice timeout nohup setsid stdbuf ionice chrt taskset time env")
	// openTo are programs with rules of their own that know what to do with words that are not known.
	openTo = words("grep egrep fgrep zgrep zegrep zfgrep rg printf test [ jq tar find sed awk gawk mawk nawk docker podman systemctl ps git strings read mapfile readarray")
	// mild are programs that read and print, whatever flags they are given.
	mild = words(`cat tac head tail wc ls stat du nl od hexdump strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32
		realpath readlink cmp diff comm zcat bzcat xzcat zstdcat zipinfo grep egrep fgrep zgrep zegrep zfgrep rg cut paste join tr rev fold fmt column expand unexpand jq
		seq factor expr echo printf true false sleep basename dirname test [ : pwd cd df ps pgrep pidof id groups numfmt`)
)

// told judges a program by its words.
func (j *judge) told(prog string, args []arg) {
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
