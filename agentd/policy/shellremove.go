package policy

import (
	"path"
	"strings"

	"gatehouse/agentd/lazyre"
)

// rm is red for files of the data root, critical for the data root as a whole, and worse outside.
func (j *judge) rm(args []arg) {
	j.raise(Red, "It deletes.")
	whole := hasFlag(args, "rR")
	for _, a := range operandsOf(args) { // no flag of rm makes it worse than what its operands say
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
