package policy

import (
	"path"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// findTests are the words of find that only look and print.
var findTests = strings.Fields(`-H -L -P -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size
	-empty -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -newerat -newerct -maxdepth -mindepth -print -print0
	-printf -ls -prune -quit -o -or -a -and -not -perm -user -group -uid -gid -nouser -nogroup -links -inum -samefile -lname -ilname -true -false
	-readable -writable -executable -daystart -depth -d -xdev -mount -noleaf -follow -used -fstype -ignore_readdir_race -warn -nowarn --help --version`)

// permission is what -perm looks for.
var permission = lazyre.MustCompile(`^[-/]?(?:[0-7]+|[ugoa]*[+=][rwxst]+(?:,[ugoa]*[+=][rwxst]+)*)$`)

var findNumber = lazyre.MustCompile(`^-[0-9]+[bcwkMG]?$`)

// find looks at files; some of its words delete, write or run commands.
func (j *judge) find(args []arg) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; a.text {
		case "-delete":
			j.raise(Red, "It deletes what it finds.")
			j.starts(args)
			j.findDeletes(args)
		case "-exec", "-execdir", "-ok", "-okdir":
			j.starts(args)
			if i+1 < len(args) && deletes[path.Base(args[i+1].text)] {
				j.findDeletes(args)
			}
			i += j.findRuns(args[i+1:])
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			j.raise(Red, "It writes a file.")
		case "!", "(", ")", ",":
		default:
			if i == 0 || args[i-1].text != "-perm" || !a.fixed || !permission.MatchString(a.text) {
				j.findWord(a)
			}
		}
	}
}

func (j *judge) findWord(a arg) {
	switch {
	case strings.HasPrefix(a.text, "-"):
		if !slices.Contains(findTests, a.text) && !findNumber.MatchString(a.text) {
			j.raise(Red, "The gate does not understand "+visible(a.text)+" here.")
		}
	case strings.HasPrefix(a.text, "/") && strings.Trim(a.text[1:], "01234567") == "" && len(a.text) > 1: // -perm /4000
	default:
		j.path(a, false, nil)
		if strings.ContainsAny(a.text, "*?[") && j.madeForSecrets(a.text) {
			j.raise(Red, "It looks for files that hold secrets.")
		}
	}
}

// deletes are programs that remove what they are given.
var deletes = words("rm unlink shred rmdir srm truncate mv")

// findNarrows are tests that leave most files alone.
var findNarrows = words("-name -iname -path -ipath -wholename -iwholename -regex -iregex -size -empty -mtime -mmin -atime -amin -ctime -cmin -newer -newermt -inum -lname -user")

// findDeletes judges where find begins when it removes what it finds: as rm would be, and as all of it when no test
// leaves anything alone.
func (j *judge) findDeletes(args []arg) {
	narrow := anyWord(args, func(w string) bool { return findNarrows[w] })
	for _, a := range findStarts(args) {
		p := j.abs(a.text)
		switch {
		case p != j.env.root():
			j.path(a, true, nil)
		case !narrow:
			j.raise(CriticalRed, "It deletes everything in the data folder.")
		}
		if !narrow && holdsBackups.MatchString(a.text) {
			j.raise(CriticalRed, "It deletes all backups in a folder.")
		}
	}
}

// findRuns judges the command that find would run, and says how many words belong to it: up to a lone ; or a + behind
// {}. A command that is not judged is none, so both ends are looked for as find does it.
func (j *judge) findRuns(rest []arg) int {
	var inner []arg
	end := -1
	for i, a := range rest {
		if a.fixed && (a.text == ";" || a.text == "+" && i > 0 && rest[i-1].text == "{}") {
			end = i
			break
		}
		inner = append(inner, findName(a))
	}
	if len(inner) == 0 || end < 0 {
		j.cannot("a find whose command has no end")
		return len(rest)
	}
	if rest[end].text == "+" {
		inner = append(inner, inner[len(inner)-1]) // many names at once: the second one may be what is written to
	}
	writes, programs := len(j.writes), len(j.programs)
	j.wrapped(inner)
	if len(j.writes) > writes {
		j.raise(Red, "What it replaces is only known when it runs.")
	}
	if slices.ContainsFunc(j.programs[programs:], func(p string) bool { return Holding(p) != nil }) {
		j.raise(Red, "It may write on the way, and find starts it without what keeps it from that.")
	}
	return end + 1
}

// findName is a word of a command that find runs, with the name of a file in the place of {}: it is there and begins
// with no dash, and is else whatever somebody called it. As a part of a word it makes that anything.
func findName(a arg) arg {
	switch {
	case a.text == "{}":
		return arg{text: "./file", origin: existing, one: true, led: true}
	case strings.Contains(a.text, "{}"):
		return arg{text: strings.ReplaceAll(a.text, "{}", "./file"), sketch: strings.ReplaceAll(a.text, "{}", "*"), origin: made, one: true, led: a.text[0] != '-'}
	}
	return a
}

// starts notes where find begins: it works on names that nobody looks at first.
func (j *judge) starts(args []arg) { j.into(findStarts(args), 1) }

// findStarts are the folders that find begins in: the working folder when none is named.
func findStarts(args []arg) []arg {
	var from []arg
	for _, a := range args {
		if a.text == "-H" || a.text == "-L" || a.text == "-P" {
			continue
		}
		if a.text == "" || strings.ContainsAny(a.text[:1], "-(!") {
			break
		}
		from = append(from, a)
	}
	if len(from) == 0 {
		from = append(from, arg{text: ".", fixed: true})
	}
	return from
}
