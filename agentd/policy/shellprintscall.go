package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// telling are programs that print numbers, states and names of the machine, whatever their words.
var telling = words("nproc whoami id hostname uname pidof uptime arch logname free factor wc true false : test [ cd sleep read mapfile readarray local set exit")

// repeating print their words, or parts of them.
var repeating = words("echo printf basename dirname seq")

// listing print names and figures that stand elsewhere, unless a format says what else.
var listing = words("find du df stat ps ss who last journalctl zcat gzip zgrep md5sum sha256sum sha1sum readlink realpath paste join diff file tar unzip lsof getent mount findmnt lsblk top dmesg base64")

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
	case repeating[name]:
		return o
	case filtering[name]:
		return s.filters(name, args, in)
	}
	return printsTold(name, args, in)
}

// loose are the words of a command as far as they are known, and what they are worth as text. A * stands for what the
// command made up itself.
func (s *scope) loose(list []*syntax.Word) (out []string, o origin) {
	o = plain
	for _, w := range list {
		v := s.fieldsValue(w)
		o = worst(o, openly(v))
		switch {
		case v.origin == known && len(v.texts) == 1:
			out = append(out, v.texts[0])
		case openly(v) == made:
			out = append(out, s.spelled(w, nil, "*"))
		default:
			out = append(out, Rough(w))
		}
	}
	return out, o
}
