package policy

import (
	"slices"
	"strings"
)

// unsure judges a word that is not known before it runs, by what the worst word would make of the program.
func (j *judge) unsure(prog string, a arg) {
	g, listed := table[prog]
	switch {
	case Wraps(prog), prog == "xargs", prog == "date": // they judge such words themselves
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
	// openTo are programs with rules of their own that know what to do with words that are not known.
	openTo = words("grep egrep fgrep zgrep zegrep zfgrep rg printf test [ jq tar find sed awk gawk mawk nawk docker podman systemctl ps git strings read mapfile readarray")
	// mild are programs that read and print, whatever flags they are given.
	mild = words(`cat tac head tail wc ls stat du nl od hexdump strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32
		realpath readlink cmp diff comm zcat bzcat xzcat zstdcat zipinfo grep egrep fgrep zgrep zegrep zfgrep rg cut paste join tr rev fold fmt column expand unexpand jq
		seq factor expr echo printf true false sleep basename dirname test [ : pwd cd df ps pgrep pidof id groups numfmt`)
)

// unknown judges a program that the table does not know, and what stands behind it in case it starts that.
func (j *judge) unknown(prog string, args []arg) {
	tier, ok := risky[prog]
	if !ok {
		tier, ok = risky[family(prog)]
	}
	if !ok {
		tier = Red
	}
	j.stranger = prog
	j.raise(tier, "The gate does not know what "+prog+" would do.")
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
	case slices.Contains(harmless, p):
	case within(p, "/dev"):
		j.raise(Forbidden, "The command names a device.")
	case text != "/" && slices.ContainsFunc(system, func(dir string) bool { return within(p, dir) }):
		j.raise(CriticalRed, "It may change the machine itself.")
	}
}
