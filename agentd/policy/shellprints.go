package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/lazyre"
)

// What commands print, as far as it matters for the words that it becomes: whether the text could have been put
// together by the command, so that it means a file or a flag that the text does not show.

// maxFollow is how deep functions and substitutions are followed.
const maxFollow = 12

// prints is the origin of what some statements print, given that of their input.
func (s *scope) prints(stmts []*syntax.Stmt, in origin) origin {
	s.steps++
	if s.depth++; s.depth > maxFollow || s.steps > maxSteps {
		s.depth--
		return made
	}
	defer func() { s.depth-- }()
	o := plain
	for _, st := range stmts {
		if st.Cmd != nil {
			o = worst(o, s.printsOne(st.Cmd, s.stdin(st, in)))
		}
	}
	return o
}

// pipe is the origin of what comes out of a pipeline.
func (s *scope) pipe(stages []*syntax.Stmt, in origin) origin {
	for _, st := range stages {
		in = s.prints([]*syntax.Stmt{st}, in)
	}
	return in
}

func (s *scope) printsOne(c syntax.Command, in origin) origin {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return s.printsCall(c, in)
	case *syntax.BinaryCmd:
		if isPipe(c) {
			return s.pipe(Stages(c), in)
		}
		return s.prints([]*syntax.Stmt{c.X, c.Y}, in)
	case *syntax.Subshell:
		return s.prints(c.Stmts, in)
	case *syntax.Block:
		return s.prints(c.Stmts, in)
	case *syntax.WhileClause:
		return worst(s.prints(c.Cond, in), s.prints(c.Do, in))
	case *syntax.ForClause:
		return s.prints(c.Do, in)
	case *syntax.IfClause:
		o := plain
		for ; c != nil; c = c.Else {
			o = worst(o, s.prints(c.Cond, in), s.prints(c.Then, in))
		}
		return o
	case *syntax.CaseClause:
		o := plain
		for _, item := range c.Items {
			o = worst(o, s.prints(item.Stmts, in))
		}
		return o
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.FuncDecl, *syntax.DeclClause:
		return plain
	}
	return made
}

// printed is what a substitution prints when that stands in the text: echo and its like, with words that are known.
func (s *scope) printed(stmts []*syntax.Stmt, b binding) (string, bool) {
	if len(stmts) != 1 || len(stmts[0].Redirs) > 0 || stmts[0].Negated {
		return "", false
	}
	c, ok := stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Assigns) > 0 || len(c.Args) < 2 || s.functions[c.Args[0].Lit()] != nil {
		return "", false
	}
	args, ok := s.texts(c.Args[1:], b)
	if !ok || len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "", false
	}
	switch name := c.Args[0].Lit(); {
	case name == "echo":
		return strings.Join(args, " "), true
	case name == "printf" && len(args) == 2 && args[0] == "%s":
		return args[1], true
	case name == "basename" && len(args) == 1:
		return path.Base(args[0]), true
	case name == "dirname" && len(args) == 1:
		return path.Dir(strings.TrimRight(args[0], "/")), true
	}
	return "", false
}

// texts are words that are all known.
func (s *scope) texts(words []*syntax.Word, b binding) ([]string, bool) {
	var out []string
	for _, w := range words {
		for _, name := range names(w) {
			if _, ok := b[name]; !ok {
				return nil, false
			}
		}
		if s.origin(w, b) != known {
			return nil, false
		}
		for _, a := range s.fields(w, b) {
			if !a.fixed || a.glob {
				return nil, false
			}
			out = append(out, a.text)
		}
	}
	return out, true
}

// telling are programs that print numbers, states and names of the machine, whatever their words.
var telling = words("nproc whoami id hostname uname pidof uptime arch logname free factor wc true false : test [ cd sleep read mapfile readarray local set exit")

// filtering are programs that print lines of what they read, cutting those that print parts of them.
var (
	filtering = words("cat head tail sort uniq grep egrep fgrep rg tac nl shuf comm expand tee cut fold strings")
	cutting   = words("cut fold strings")
)

var formatEnds = strings.NewReplacer(`\n`, " ", `\t`, " ")

// formatText is a format without the marks in it that end a word. A NUL is written like the beginning of any letter,
// so it counts at the end alone.
func formatText(format string) string { return formatEnds.Replace(strings.TrimSuffix(format, `\0`)) }

// printsCall is the origin of what one command prints.
func (s *scope) printsCall(c *syntax.CallExpr, in origin) origin {
	if len(c.Args) == 0 {
		return plain
	}
	name := path.Base(c.Args[0].Lit())
	if f := s.functions[name]; f != nil {
		return s.prints([]*syntax.Stmt{f.Body}, in)
	}
	args, o := s.loose(c.Args[1:])
	switch {
	case telling[name]:
		if name == "wc" && slices.ContainsFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") || a == "--" }) {
			return worst(found, o) // it prints the names of files
		}
		return plain
	case name == "printf" && len(args) > 0 && !strings.Contains(formatText(args[0]), `\`):
		_, o = s.loose(c.Args[2:])
		return worst(o, textOrigin(formatText(args[0])))
	case name == "expr": // it cuts as well
		return o.cut()
	case slices.Contains([]string{"echo", "printf", "basename", "dirname", "seq"}, name):
		return o
	case filtering[name]:
		if strings.Contains(name, "grep") && slices.ContainsFunc(args, func(a string) bool { return shortFlag(a, "l") || shortFlag(a, "L") }) {
			return existing
		}
		if cutting[name] || slices.ContainsFunc(args, func(a string) bool {
			return shortFlag(a, "oc") || shortFlag(a, "o") || shortFlag(a, "c") || strings.HasPrefix(a, "--only") || strings.HasPrefix(a, "--bytes")
		}) {
			in = in.cut()
		}
		return s.filters(name, args, in)
	}
	return printsMore(name, args, in)
}

// loose are the words of a command as far as they are known, and what they are worth as text.
func (s *scope) loose(list []*syntax.Word) (out []string, o origin) {
	o = plain
	for _, w := range list {
		v := s.fieldsValue(w)
		o = worst(o, openly(v))
		if v.origin == known && len(v.texts) == 1 {
			out = append(out, v.texts[0])
		} else {
			out = append(out, rough(w))
		}
	}
	return out, o
}

// fixedWords are words that are known.
func fixedWords(texts []string) []arg {
	out := make([]arg, len(texts))
	for i, t := range texts {
		out[i] = arg{text: t, fixed: true}
	}
	return out
}

// filters is the origin of lines that come from the input or from files. The first word that is no flag is a file,
// save of those that search, and a word behind a flag may be its value.
func (s *scope) filters(name string, args []string, in origin) origin {
	searches := (strings.Contains(name, "grep") || name == "rg") && !table["grep"].isGiven(fixedWords(args))
	for i, a := range args {
		switch {
		case strings.Contains(a, "delim"), strings.HasPrefix(a, "--output-d"), name == "nl" && (strings.HasPrefix(a, "-s") || strings.HasPrefix(a, "--number-s")):
			return made // it puts a text of its own between the parts
		case strings.HasPrefix(a, "-"), i > 0 && len(args[i-1]) == 2 && strings.HasPrefix(args[i-1], "-"):
		case searches:
			searches = false
		case !slices.Contains(args, "-"):
			return found // it reads files, and not what comes in
		}
	}
	return worst(in, plain)
}

var (
	// sedPasses are scripts that leave lines out, or put plain text into them.
	sedPasses = lazyre.MustCompile(`^(?:[0-9$,!pdqn; ]*|/[^/]*/[!pd]*|s/[^/]*/[A-Za-z0-9 _,:]*/[gI0-9]*)$`)
	// awkText is text in a program of awk that puts no path and no flag together.
	awkText = lazyre.MustCompile(`"(?:%[0-9.]*[dfsu]|[ ,:|=%\n]|\\n|\\t)*"`)
	// awkSeparators are letters that awk may put between the parts.
	awkSeparators = " ,:|=%\t[];\"'"
	// jqPath is a program of jq that only picks.
	jqPath = lazyre.MustCompile(`^[A-Za-z0-9_.\[\]| ?]*$`)
	// dateForm is a format of date that gives numbers and names.
	dateForm = lazyre.MustCompile(`^\+(?:%[-_0^#]?[aAbBdeFHIjklmMNpsSuUVwWyYzZGgT]|[-_:., ]|T)*$`)
	// names of containers, states, and revisions
	dockerForm = lazyre.MustCompile(`^(?:table )?(?:\{\{ ?\.(?:Names|ID|Name|Image|Status|State|Service|Repository|Tag)(?:\.(?:Status|Health|Running))? ?\}\}[ \t:,]?)+$`)
)

// printsMore is the origin for the programs that print what their words tell them to.
func printsMore(name string, args []string, in origin) origin {
	joined := strings.Join(args, " ")
	switch name {
	case "date":
		for i, a := range args {
			if !dateForm.MatchString(a) && (strings.HasPrefix(a, "+") || i > 0 && strings.HasPrefix(args[i-1], "+")) {
				return made
			}
		}
		return plain
	case "tr":
		if strings.HasPrefix(joined, "-dc ") || strings.HasPrefix(joined, "-cd ") {
			return textOrigin(strings.NewReplacer("[:digit:]", "0-9", "[:alnum:]", "a", "'", "").Replace(joined[4:]))
		}
		if strings.ContainsAny(strings.NewReplacer(`\n`, "", `\t`, "", "[:", "", ":]", "").Replace(joined), `/\.-`) && !(len(args) == 2 && (args[0] == "-d" || args[0] == "-s")) {
			return made
		}
		return in.cut()
	case "sed", "awk", "gawk", "mawk", "jq":
		return printsScript(name, args, in)
	case "ls":
		return existing
	case "find", "du", "df", "stat", "ps", "pgrep", "ss", "who", "last", "journalctl", "zcat", "gzip", "zgrep", "md5sum", "sha256sum", "sha1sum", "readlink", "realpath", "paste", "join", "diff", "file", "tar", "unzip", "lsof", "getent", "mount", "findmnt", "lsblk", "top", "dmesg", "base64":
		if strings.Contains(joined, "printf") || strings.Contains(joined, "format") || name == "stat" && strings.ContainsAny(joined, "/") || name == "paste" && strings.Contains(joined, "-d") || name == "base64" {
			return formatted(name, args, in)
		}
		if name == "find" && !strings.Contains(joined, "-exec") && !strings.Contains(joined, "-ls") {
			return existing
		}
		return found
	case "systemctl", "docker", "git", "kubectl":
		return printsManaged(name, args)
	}
	return made
}

// formatted is the origin of what a program prints by a format of its own.
func formatted(name string, args []string, in origin) origin {
	if name == "find" || name == "stat" {
		for i, a := range args {
			if (a == "-printf" || a == "-c" || a == "--format") && i+1 < len(args) && findForm.MatchString(args[i+1]) {
				return found
			}
		}
	}
	return made
}

// findForm is a format that gives numbers, dates and names apart.
var findForm = lazyre.MustCompile(`^(?:%[TAC]?[@afhpPsymMUugGin%FYkX][ \t,:]?|\\n|\\t|\\0)+$`)

func printsScript(name string, args []string, in origin) origin {
	script, files := "", 0
	for i, a := range args {
		switch {
		case strings.HasPrefix(a, "-F") && len(a) > 2 && strings.Trim(a[2:], awkSeparators) != "" && !plainText.MatchString(a[2:]):
			return made // the program may print it
		case strings.HasPrefix(a, "-") && (name != "awk" || a != "-"):
		case i > 0 && (args[i-1] == "-F" || args[i-1] == "-v"):
			if strings.Trim(a[strings.IndexByte(a, '=')+1:], awkSeparators) != "" && !plainText.MatchString(a) {
				return made
			}
		case script == "":
			script = a
		default:
			files++
		}
	}
	ok := false
	switch name {
	case "sed":
		ok = sedPasses.MatchString(script)
	case "jq":
		ok = jqPath.MatchString(script)
	default:
		ok = !strings.ContainsAny(awkText.ReplaceAllString(script, ""), `"\`) && !strings.Contains(script, "%c")
	}
	in = in.cut()
	switch {
	case !ok:
		return made
	case files > 0 && !slices.Contains(args, "-"):
		return found
	}
	return worst(in, plain)
}

// dockerTalks are the commands of docker that print what programs say, and not names.
var dockerTalks = words("logs top diff events history inspect exec run attach cp")

// printsManaged is the origin of what the programs print that name services, containers and revisions.
func printsManaged(name string, args []string) origin {
	joined := strings.Join(args, " ")
	switch {
	case name == "systemctl" && (strings.HasPrefix(joined, "is-") || strings.HasPrefix(joined, "show -p ") || strings.HasPrefix(joined, "list-")):
		return plain
	case name == "docker":
		if len(args) > 0 && dockerTalks[args[0]] && !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--format") || a == "-f" }) {
			return found
		}
		at := slices.IndexFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "--format") || a == "-f" && len(args) > 0 && args[0] == "inspect"
		})
		if at < 0 {
			return plain
		}
		form := strings.TrimPrefix(args[at], "--format=")
		if form == args[at] && at+1 < len(args) {
			form = args[at+1]
		}
		if dockerForm.MatchString(form) {
			return plain
		}
	case name == "git" && len(args) > 0 && !strings.Contains(joined, "format"):
		if args[0] == "rev-parse" || args[0] == "describe" || args[0] == "rev-list" || joined == "branch --show-current" {
			return plain
		}
		return found
	case name == "kubectl" && strings.Contains(joined, "-o name"):
		return found
	}
	return made
}
