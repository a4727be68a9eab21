package policy

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

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
	case "pgrep":
		if !slices.ContainsFunc(args, func(a string) bool { return pgrepNames.MatchString(a) }) {
			return plain // numbers
		}
		return found
	case "find", "du", "df", "stat", "ps", "ss", "who", "last", "journalctl", "zcat", "gzip", "zgrep", "md5sum", "sha256sum", "sha1sum", "readlink", "realpath", "paste", "join", "diff", "file", "tar", "unzip", "lsof", "getent", "mount", "findmnt", "lsblk", "top", "dmesg", "base64":
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

// pgrepNames are flags of pgrep with which it prints more than numbers and a comma between them.
var pgrepNames = lazyre.MustCompile(`^-[A-Za-z]*[al]|^--(?:list|delim)|^-[A-Za-z]*d[^,]|^-[A-Za-z]*d$`)

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
