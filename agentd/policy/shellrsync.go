package policy

import "strings"

// rsyncCompares are the flags of rsync with which it tells what it would copy, beside the one that keeps it from doing
// so. None of them starts a program, names a file of its own, or takes that one back.
var rsyncCompares = grammar{
	tier: Green, short: "avnrlptgoDhiuzHASXPcxqW", tree: "ra",
	long: "archive verbose dry-run recursive itemize-changes stats human-readable checksum size-only update delete delete-after delete-before delete-excluded exclude= include= omit-dir-times list-only whole-file progress quiet",
}

// rsync reads when it only pretends or lists, from one folder of this machine to another.
func (j *judge) rsync(args []arg) {
	pretends, elsewhere := false, false
	for i, a := range args {
		says := a.fixed && (a.text == "--dry-run" || a.text == "--list-only" || shortFlag(a.text, "n"))
		pretends = pretends || says && (i == 0 || !rsyncCompares.asks(args[i-1])) // behind such a flag it is its value
		elsewhere = elsewhere || a.text == "--" || !strings.HasPrefix(a.text, "-") && (!a.fixed || strings.Contains(a.text, ":"))
	}
	if pretends && !elsewhere && j.passes(rsyncCompares, args) {
		return
	}
	j.unknown("rsync", args)
}
