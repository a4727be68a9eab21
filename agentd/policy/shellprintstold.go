package policy

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

var (
	// dateForm is a format of date that gives numbers and names.
	dateForm = lazyre.MustCompile(`^\+(?:%[-_0^#]?[aAbBdeFHIjklmMNpsSuUVwWyYzZGgT]|[-_:., ]|T)*$`)
	// findForm is a format that gives numbers, dates and names apart.
	findForm = lazyre.MustCompile(`^(?:%[TAC]?[@afhpPsymMUugGin%FYkX][ \t,:]?|\\n|\\t|\\0)+$`)
	// psHeading gives a column of ps a heading of one's own.
	psHeading = lazyre.MustCompile(`^(?:-[A-Za-z]|[a-z]).*=[^,\s]`)
	// pgrepNames are flags of pgrep with which it prints more than numbers and a comma between them.
	pgrepNames = lazyre.MustCompile(`^-[A-Za-z]*[al]|^--(?:list|delim)|^-[A-Za-z]*d[^,]|^-[A-Za-z]*d$`)
)

// printsTold is the origin for the programs that print what their words tell them to.
func printsTold(name string, args []string, in origin) origin {
	joined := strings.Join(args, " ")
	switch name {
	case "date":
		return printsDate(args)
	case "tr":
		return printsTranslated(args, in)
	case "sed", "awk", "gawk", "mawk", "jq":
		return printsScript(name, args, in)
	case "ls":
		if strings.Contains(joined, "--time-style") { // a format
			return made
		}
		return existing
	case "pgrep":
		if !slices.ContainsFunc(args, func(a string) bool { return pgrepNames.MatchString(a) }) {
			return plain // numbers
		}
		return found
	case "systemctl", "docker", "git", "kubectl":
		return printsManaged(name, args)
	}
	if !listing[name] {
		return made
	}
	if name == "ps" && slices.ContainsFunc(args, func(a string) bool { return psHeading.MatchString(a) }) {
		return made
	}
	if strings.Contains(joined, "printf") || strings.Contains(joined, "format") || name == "stat" && strings.ContainsAny(joined, "/") || name == "paste" && strings.Contains(joined, "-d") || name == "base64" {
		return formatted(name, args, in)
	}
	if name == "find" && !strings.Contains(joined, "-exec") && !strings.Contains(joined, "-ls") {
		return existing
	}
	return found
}

// printsDate is the origin of a time in a format that the words give.
func printsDate(args []string) origin {
	for i, a := range args {
		if !dateForm.MatchString(a) && (strings.HasPrefix(a, "+") || i > 0 && strings.HasPrefix(args[i-1], "+")) {
			return made
		}
	}
	return plain
}

// printsTranslated is the origin of what tr leaves of its input: the letters that it keeps, or parts without those that
// paths and flags are made of.
func printsTranslated(args []string, in origin) origin {
	joined := strings.Join(args, " ")
	if strings.HasPrefix(joined, "-dc ") || strings.HasPrefix(joined, "-cd ") {
		return textOrigin(strings.NewReplacer("[:digit:]", "0-9", "[:alnum:]", "a", "'", "").Replace(joined[4:]))
	}
	if strings.ContainsAny(strings.NewReplacer(`\n`, "", `\t`, "", "[:", "", ":]", "").Replace(joined), `/\.-*`) && !(len(args) == 2 && (args[0] == "-d" || args[0] == "-s")) {
		return made
	}
	return in.cut()
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
