package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
