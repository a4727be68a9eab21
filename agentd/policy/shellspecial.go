package policy

import (
	"path"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
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
		"egrep": (*judge).grepAlias, "fgrep": (*judge).grepAlias, "zgrep": (*judge).grepAlias, "zegrep": (*judge).grepAlias, "zfgrep": (*judge).grepAlias,
		"rg": (*judge).rg, "ps": (*judge).ps, "printf": (*judge).printf, "test": (*judge).test, "[": (*judge).test, "cp": (*judge).cp, "kill": (*judge).kill,
		"git": (*judge).git, "redis-cli": (*judge).redisCLI, "systemctl": (*judge).systemctl, "service": (*judge).service,
		"psql": databaseClient("psql"), "mysql": databaseClient("mysql"), "mariadb": databaseClient("mariadb"), "sqlite3": databaseClient("sqlite3"), "sqlite": databaseClient("sqlite"),
		"mongosh": databaseClient("mongosh"), "mongo": databaseClient("mongo"), "nerdctl": (*judge).dockerShell,
		"strings": (*judge).stringsOf, "jq": (*judge).jq, "ip": (*judge).ip, "nmcli": (*judge).nmcli, "ss": (*judge).ss, "rsync": (*judge).rsync,
		"zless": (*judge).pager, "zmore": (*judge).pager,
		"rm": (*judge).rm, "dd": (*judge).dd, "tar": (*judge).tar, "chmod": (*judge).chmod, "mount": (*judge).mount,
		"read": (*judge).read, "mapfile": (*judge).mapfile, "readarray": (*judge).mapfile, "set": (*judge).set, "return": (*judge).leave, "break": (*judge).leave, "continue": (*judge).leave,
		"tee": (*judge).tee, "lsof": (*judge).lsof, "less": (*judge).pager, "more": (*judge).pager, "yq": (*judge).yq, "pdftotext": (*judge).pdftotext,
		"docker": (*judge).dockerShell, "podman": (*judge).dockerShell, "docker-compose": (*judge).composeShell,
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
var jqLoads = lazyre.MustCompile(`\b(import|include|modulemeta)\b`)

// jqSettings are the words with which a program of jq reads the settings of its process.
var jqSettings = lazyre.MustCompile(`\$ENV\b|(^|[^.A-Za-z0-9_"$-])env\b`)

// yqReaches are the words with which a program of yq reads files and settings, writes, or runs commands.
var yqReaches = lazyre.MustCompile(`\b(load\w*|env\w*|strenv|envsubst|system|exec|input_filename|filename|eval|include|import|split_doc|from_file)\b|\$ENV|\$__`)

// yqFile is a word that may be the name of a file as well as a program of yq.
var yqFile = lazyre.MustCompile(`^[A-Za-z0-9_./-]+$`)

// jq computes from what it reads; its program may load no file.
func (j *judge) jq(args []arg) {
	j.grammar(table["jq"], args)
	if ops := operandsOf(args); len(ops) > 0 && !ops[0].fixed {
		j.raise(Red, "What its program does is only known when it runs.")
	}
	if anyWord(args, jqLoads.MatchString) {
		j.raise(Red, "Its program reads other files.")
	}
	if anyWord(args, jqSettings.MatchString) {
		j.raise(Red, "It prints all settings with their values.")
	}
}

func anyWord(args []arg, is func(string) bool) bool {
	return slices.ContainsFunc(args, func(a arg) bool { return is(a.text) })
}

// rm is red for files of the data root, critical for the data root as a whole, and worse outside.
func (j *judge) rm(args []arg) {
	j.raise(Red, "It deletes.")
	whole := hasFlag(args, "rR")
	for _, a := range args {
		if strings.HasPrefix(a.text, "-") {
			continue // no flag of rm makes it worse than what its operands say
		}
		if a.glob && strings.Trim(a.text, "*./?") == "" {
			j.raise(CriticalRed, "It deletes everything in a folder.")
		}
		if whole && !a.fixed {
			j.raise(CriticalRed, "It deletes folders, and which ones is only known when it runs.")
		}
		if a.glob && wholeFolder.MatchString(a.text) && j.abs(path.Dir(a.text)) == j.env.root() {
			j.raise(CriticalRed, "It deletes everything in the data folder.")
		}
		if (whole || a.glob) && holdsBackups.MatchString(a.text) {
			j.raise(CriticalRed, "It deletes all backups in a folder.")
		}
		j.path(a, true, nil)
	}
	if whole {
		j.into(operandsOf(args), 1)
	}
}

// wholeFolder ends in a pattern that everything matches.
var wholeFolder = lazyre.MustCompile(`(^|/)[*.?]*\*[*.?]*/?$`)

// holdsBackups are names of folders, or of all in a folder, that hold backups.
var holdsBackups = lazyre.MustCompile(`(?i)(^|/)[^/]*(backup|snapshot|borg|restic)[^/]*(/[*?.]*)?$`)

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
		if worldWrites.MatchString(a.text) {
			j.raise(CriticalRed, "It lets everybody write.")
		}
		if strings.ContainsAny(a.text, "+=") && strings.Contains(a.text, "s") || len(a.text) == 4 && strings.Trim(a.text, "01234567") == "" && a.text[0] != '0' {
			j.raise(CriticalRed, "It gives a program the rights of its owner.")
		}
	}
}

// worldWrites are modes with which everybody may write.
var worldWrites = lazyre.MustCompile(`^0?[0-7]?[0-7]{2}[2367]$|(^|,)[ug]*[oa][ugoa]*[+=][a-zA-Z]*w|(^|,)\+[rxXst]*w`)

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
			shows := strings.Contains(flags, "x") && strings.Contains(flags, "O") // to where it prints
			list, create = list || strings.Contains(flags, "t") || shows, create || strings.Contains(flags, "c")
			if shows {
				flags = strings.NewReplacer("x", "", "O", "").Replace(flags)
			}
			if strings.Trim(flags, "tcvzjJf") != "" || !a.fixed {
				j.raise(Red, "It unpacks, or does what the gate does not understand.")
			}
			if at := strings.IndexByte(flags, 'f'); at >= 0 {
				archive = i + 1
				if strings.HasPrefix(a.text, "-") && at+1 < len(flags) {
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
	case "--file":
		_, value, _ := strings.Cut(a.text, "=")
		j.path(arg{text: value, fixed: a.fixed}, true, nil)
		j.packed(arg{text: value, fixed: a.fixed}, true)
	case "--list", "--create", "--verbose", "--gzip", "--bzip2", "--xz", "--zstd", "--exclude", "--wildcards", "--no-wildcards", "--full-time", "--numeric-owner", "--utc":
	default:
		j.raise(Red, "The gate does not understand the flag "+cut(visible(a.text), 40)+" here.")
	}
}

// dockerShell judges docker as a command; the tool docker is judged by the same rules.
func (j *judge) dockerShell(args []arg) {
	named := slices.Clone(args)
	for i, a := range args {
		switch {
		case !a.fixed && a.origin == plain:
			named[i] = arg{text: a.text + "1", fixed: true} // a name, or a number
		case !a.fixed:
			j.raise(Red, "What it works on is only known when it runs.")
		}
	}
	j.docker(named)
}

// composeShell is docker-compose, as it was called before it became a part of docker.
func (j *judge) composeShell(args []arg) {
	j.dockerShell(append([]arg{{text: "compose", fixed: true}}, args...))
}
