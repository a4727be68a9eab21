package policy

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// Grammars of calls that only look, of programs whose words follow rules of their own (shellread.go).
var (
	// dpkgSearches are patterns that are compared with the names of installed files; none is opened.
	dpkgSearches = grammar{tier: Green, shape: lazyre.MustCompile(`^[A-Za-z0-9_./+:@-]+$`)}
	// dpkgFormats print fields of packages, as a format says.
	dpkgFormats = grammar{tier: Green, short: "f:", long: "showformat= no-pager", shape: lazyre.MustCompile(`^(?:[a-z0-9][A-Za-z0-9.+:*?-]*|(?:\$\{[A-Za-z:-]+(?:;-?[0-9]+)?\}|\\n|\\t|[ \t,;:|=-])+)$`)}
	// smartReads tell of a disk what it has noted of itself; tests and settings have flags of their own.
	smartReads = grammar{tier: Green, short: "HiAacxj", long: "health info attributes all capabilities xall json scan", shape: lazyre.MustCompile(`^/dev/(?:sd[a-z]{1,2}|nvme[0-9]+(?:n[0-9]+)?)$`)}
	// archiveLists list what is in an archive. A word that begins with @ names a file with more words.
	archiveLists = []readForm{
		{"l", grammar{tier: Green, word: words("-slt -ba -bd -r"), never: lazyre.MustCompile(`^@`)}},
		{"t", grammar{tier: Green, word: words("-bd -r"), never: lazyre.MustCompile(`^@`)}},
	}
	csvReads = grammar{tier: Green, short: "c:C:d:nlrStHzvK:", long: "names columns= not-columns= delimiter= tabs no-header-row zero linenumbers reverse max-rows= max-columns= count csv freq sum mean median min max unique nulls type len"}
)

// xmlReads is xmllint checking, printing or searching files, but no addresses. It loads nothing that a file names
// unless flags say so.
func xmlReads(expression bool) grammar {
	return grammar{tier: Green, first: expression, long: "noout format html nonet recover noblanks", never: lazyre.MustCompile(`(?i)^[a-z]+:/`)}
}

// pdftotext prints the text of its first operand when the second is -. Any other second name is written to, and
// without one the name is made up.
func (j *judge) pdftotext(args []arg) {
	var ops []arg
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case (a.text == "-f" || a.text == "-l") && a.fixed && i+1 < len(args) && args[i+1].fixed && digits.MatchString(args[i+1].text):
			i++
		case a.fixed && (a.text == "-layout" || a.text == "-raw" || a.text == "-nopgbrk"):
		case a.text != "-" && strings.HasPrefix(a.text, "-"):
			j.raise(Red, "The gate does not understand the flag "+cut(visible(a.text), 40)+" here.")
		default:
			ops = append(ops, a)
		}
	}
	if len(ops) != 2 || ops[0].glob || !ops[0].fixed && !ops[0].one || ops[1].text != "-" || !ops[1].fixed {
		j.raise(Red, "It writes a file.")
	}
	for _, a := range ops {
		j.path(a, false, nil)
	}
}
