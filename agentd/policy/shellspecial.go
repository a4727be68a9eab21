package policy

import (
	"regexp"
	"slices"
	"strings"
)

// special are commands whose words are judged by rules of their own. It is filled in init because the rules of
// wrappers come back here.
var special map[string]func(*judge, []arg)

func init() {
	special = map[string]func(*judge, []arg){
		"find": (*judge).find, "xargs": (*judge).xargs, "env": (*judge).envCommand,
		"nice": wrap(niceFlags), "timeout": wrap(timeoutFlags), "nohup": wrap(nil), "setsid": wrap(setsidFlags),
		"stdbuf": wrap(stdbufFlags), "ionice": wrap(ioniceFlags), "chrt": wrap(nil), "taskset": wrap(nil), "time": wrap(nil),
		"sed": (*judge).sed, "awk": (*judge).awk, "gawk": (*judge).awk, "mawk": (*judge).awk, "nawk": (*judge).awk,
		"egrep": (*judge).grepAlias, "fgrep": (*judge).grepAlias,
		"strings": (*judge).stringsOf, "jq": (*judge).jq, "ip": (*judge).ip,
		"rm": (*judge).rm, "dd": (*judge).dd, "tar": (*judge).tar, "chmod": (*judge).chmod, "mount": (*judge).mount,
		"docker": (*judge).docker, "podman": (*judge).docker,
	}
}

func (j *judge) grepAlias(args []arg) { j.grammar(table["grep"], args) }

// stringsOf reads more words from a file when one begins with @.
func (j *judge) stringsOf(args []arg) {
	j.grammar(table["strings"], args)
	if anyWord(args, func(w string) bool { return strings.HasPrefix(w, "@") }) {
		j.raise(Red, "It reads its words from a file.")
	}
}

// jqLoads are the words with which a program of jq reads other files.
var jqLoads = regexp.MustCompile(`\b(import|include|modulemeta)\b`)

// jq computes from what it reads; its program may load no file.
func (j *judge) jq(args []arg) {
	j.grammar(table["jq"], args)
	if anyWord(args, jqLoads.MatchString) {
		j.raise(Red, "Its program reads other files.")
	}
}

// ip reads its commands from a file with -batch, which may be cut short.
func (j *judge) ip(args []arg) {
	j.grammar(table["ip"], args)
	if anyWord(args, func(w string) bool { return w == "-b" || strings.HasPrefix(w, "-ba") }) {
		j.raise(Red, "It reads its commands from a file.")
	}
}

func anyWord(args []arg, is func(string) bool) bool {
	return slices.ContainsFunc(args, func(a arg) bool { return is(a.text) })
}

// rm is red for files of the data root, critical for the data root as a whole, and worse outside.
func (j *judge) rm(args []arg) {
	j.raise(Red, "It deletes.")
	for _, a := range args {
		if strings.HasPrefix(a.text, "-") {
			continue // no flag of rm makes it worse than what its operands say
		}
		if a.glob && strings.Trim(a.text, "*./") == "" {
			j.raise(CriticalRed, "It deletes everything in a folder.")
		}
		j.path(a, true, nil)
	}
	if hasFlag(args, "rR") {
		j.into(operandsOf(args), 1)
	}
}

// dd writes what it is told, byte for byte.
func (j *judge) dd(args []arg) {
	j.raise(Red, "It writes byte for byte over what is there.")
	for _, a := range args {
		name, value, _ := strings.Cut(a.text, "=")
		p := arg{text: value, fixed: a.fixed, glob: a.glob}
		switch name {
		case "if":
			j.path(p, false, nil)
		case "of":
			j.path(p, true, nil)
		}
	}
}

// mount alone lists what is mounted.
func (j *judge) mount(args []arg) {
	if len(args) > 0 {
		j.raise(Forbidden, disks)
	}
}

// chmod is red, and critical when it gives a program the rights of its owner or everybody the right to write.
func (j *judge) chmod(args []arg) {
	j.grammar(grammar{tier: Red, short: "cfRvrwx", long: "recursive verbose changes quiet silent", first: true, writes: true}, args)
	for _, a := range args {
		if strings.ContainsAny(a.text, "+=") && strings.Contains(a.text, "s") || len(a.text) == 4 && strings.Trim(a.text, "01234567") == "" && a.text[0] != '0' {
			j.raise(CriticalRed, "It gives a program the rights of its owner.")
		}
	}
}

// tar lists archives; it may make one; everything else is red.
func (j *judge) tar(args []arg) {
	list, create := false, false
	archive := -1
	for i, a := range args {
		flags := strings.TrimPrefix(a.text, "-")
		switch {
		case strings.HasPrefix(a.text, "--"):
			list, create = list || a.text == "--list", create || a.text == "--create"
			j.tarLong(a)
		case a.text != flags || i == 0:
			list, create = list || strings.Contains(flags, "t"), create || strings.Contains(flags, "c")
			if strings.Trim(flags, "tcvzjJf") != "" || !a.fixed {
				j.raise(Red, "It unpacks, or does what the gate does not understand.")
			}
			if at := strings.IndexByte(flags, 'f'); at >= 0 {
				archive = i + 1
				if a.text != flags && at+1 < len(flags) {
					j.raise(Red, "The name of the archive does not stand apart.")
				}
			}
		default:
			j.path(a, create, nil)
			j.packed(a, i == archive)
		}
	}
	if create {
		j.raise(Yellow, "It writes an archive.")
	} else if !list {
		j.raise(Red, "It unpacks.")
	}
}

// packed notes an operand of tar: the archive, or what goes into it with all that is in it.
func (j *judge) packed(a arg, archive bool) {
	switch {
	case strings.Contains(a.text, ":"):
		j.raise(Red, "It may reach another machine.")
	case archive:
		j.lost(a.text)
	default:
		j.trees = append(j.trees, j.abs(a.text))
	}
}

func (j *judge) tarLong(a arg) {
	switch name, _, _ := strings.Cut(a.text, "="); name {
	case "--list", "--create", "--verbose", "--gzip", "--bzip2", "--xz", "--exclude":
	default:
		j.raise(Red, "The gate does not understand the flag "+cut(visible(a.text), 40)+" here.")
	}
}

var dockerGrammar = grammar{
	tier: Green, short: "afnqst", names: true, verb: true,
	long: "all filter= format= quiet no-trunc last= latest size no-stream tail= since= until= timestamps follow follow=",
	words: map[string]Tier{
		"ps": Green, "logs": Green, "stats": Green, "inspect": Green, "images": Green, "version": Green, "info": Green, "top": Green, "port": Green,
		"diff": Green, "history": Green, "ls": Green, "list": Green, "df": Green, "config": Green, "container": Green, "image": Green, "volume": Green,
		"network": Green, "system": Green, "compose": Green, "events": Green,
		"restart": Yellow, "start": Yellow, "up": Yellow, "unpause": Yellow, "pause": Yellow,
		"rm": Red, "rmi": Red, "stop": Red, "kill": Red, "down": Red, "prune": Red, "run": Red, "create": Red, "exec": Red, "build": Red, "pull": Red,
		"push": Red, "cp": Red, "commit": Red, "export": Red, "import": Red, "load": Red, "save": Red, "tag": Red, "update": Red, "rename": Red,
		"attach": Red, "login": Red, "logout": Red, "connect": Red, "disconnect": Red, "remove": Red, "plugin": CriticalRed, "swarm": CriticalRed,
		"node": CriticalRed, "service": CriticalRed, "stack": CriticalRed, "secret": Forbidden, "context": CriticalRed, "trust": CriticalRed, "checkpoint": Red,
	},
	raise: map[string]Tier{
		"-v": CriticalRed, "--volumes": CriticalRed, "--volume": Forbidden, "--mount": Forbidden, "--privileged": Forbidden, "--pid": Forbidden,
		"--net": Forbidden, "--network": Red, "--device": Forbidden, "--cap-add": Forbidden, "--security-opt": Forbidden, "--userns": Forbidden,
		"--ipc": Forbidden, "--uts": Forbidden, "--cgroupns": Forbidden, "-H": Forbidden, "--host": Forbidden, "--volumes-from": Forbidden,
	},
}

// template is how output or a selection is described; no subcommand looks like it.
var template = regexp.MustCompile(`^(table )?[^/]*\{\{[^/]*\}\}[^/]*$|^[a-z]+=[^/]*$|^json$`)

// docker judges by subcommand and flags, and looks at what would run in the container.
func (j *judge) docker(args []arg) {
	words := make([]arg, 0, len(args))
	for i, a := range args {
		if i > 0 && (args[i-1].text == "--format" || args[i-1].text == "--filter") && template.MatchString(a.text) {
			continue // what the flag asks for
		}
		words = append(words, a)
	}
	j.grammar(dockerGrammar, words)
	for _, a := range args {
		if strings.Contains(a.text, ":") && strings.HasPrefix(strings.TrimLeft(a.text, "-v=olume"), "/") {
			j.raise(Forbidden, "It opens a folder of the machine to a container.")
		}
	}
	if anyWord(args, func(w string) bool { return w == "up" || w == "start" || w == "restart" }) &&
		anyWord(args, func(w string) bool { return strings.HasPrefix(w, "-f") || strings.HasPrefix(w, "--fi") }) {
		j.raise(CriticalRed, "It starts what a file says, and that may open the machine.")
	}
	for _, a := range words {
		if a.text == "run" || a.text == "exec" || a.text == "create" {
			j.behind(args)
		}
	}
}
