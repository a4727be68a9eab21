package policy

import (
	"slices"
	"strings"
)

// filtering are programs that print lines of what they read, cutting those that print parts of them.
var (
	filtering = words("cat head tail sort uniq grep egrep fgrep rg tac nl shuf comm expand tee cut fold strings")
	cutting   = words("cut fold strings")
)

// filters is the origin of lines that come from the input or from files. The first word that is no flag is a file,
// save of those that search, and a word behind a flag may be its value.
func (s *scope) filters(name string, args []string, in origin) origin {
	if strings.Contains(name, "grep") && slices.ContainsFunc(args, func(a string) bool { return shortFlag(a, "l") || shortFlag(a, "L") }) {
		return existing
	}
	if cutting[name] || slices.ContainsFunc(args, printsParts) {
		in = in.cut()
	}
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

// printsParts says whether a flag makes a filter print parts of lines.
func printsParts(flag string) bool {
	return shortFlag(flag, "oc") || shortFlag(flag, "o") || shortFlag(flag, "c") || strings.HasPrefix(flag, "--only") || strings.HasPrefix(flag, "--bytes")
}

// fixedWords are words that are known.
func fixedWords(texts []string) []arg {
	out := make([]arg, len(texts))
	for i, t := range texts {
		out[i] = arg{text: t, fixed: true}
	}
	return out
}
