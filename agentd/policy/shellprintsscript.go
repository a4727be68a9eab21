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
)

// printsScript is the origin of what a program of sed, awk or jq prints.
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
