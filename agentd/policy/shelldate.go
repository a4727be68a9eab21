package policy

import "strings"

// dateLong are the long flags of date that say which time it prints, and how: d and r where they are short for that.
var dateLong = map[string]byte{
	"--date": 'd', "--reference": 'r', "--utc": 0, "--universal": 0, "--rfc-email": 0, "--iso-8601": 0, "--rfc-3339": 0, "--debug": 0, "--help": 0, "--version": 0,
}

// date prints a time. A word that is neither a format nor what -d and -r ask for is one to set the clock to.
func (j *judge) date(args []arg) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		flag, ok := readDateFlag(a)
		switch {
		case strings.HasPrefix(a.text, "+") && (a.fixed || a.origin < found || a.one && a.led) && !a.glob:
		case !ok || a.glob:
			j.raise(Red, "It may set something.")
			j.loose(a)
		case flag.behind:
			j.timeOf(flag, arg{text: flag.value, fixed: a.fixed, one: a.one, origin: a.origin})
		case flag.letter != 0 && i+1 < len(args):
			i++
			j.timeOf(flag, args[i])
		}
	}
}

// timeOf judges what -d and -r are given: a time, of which anything is only printed, and a file.
func (j *judge) timeOf(flag dateFlag, a arg) {
	switch {
	case a.glob, !a.fixed && !a.one: // a second word would be an operand
		j.raise(Red, "It may set something.")
	case flag.letter == 'r':
		j.path(a, false, nil)
	}
}

// dateFlag is a word of flags of date: which of d and r stands in it, if one does, and the value behind it in the word.
type dateFlag struct {
	letter byte
	behind bool
	value  string
}

// readDateFlag reads a word of flags; ok is false when there is one that is not known, or when not enough of it is.
func readDateFlag(a arg) (flag dateFlag, ok bool) {
	if name, value, has := strings.Cut(a.text, "="); strings.HasPrefix(a.text, "--") {
		letter, known := dateLong[name]
		return dateFlag{letter, has, value}, known && (a.fixed || has)
	}
	letters, ok := strings.CutPrefix(a.text, "-")
	for i := range len(letters) {
		switch c := letters[i]; c {
		case 'd', 'r':
			value := letters[i+1:]
			return dateFlag{c, value != "", value}, ok && (a.fixed || value != "") // of -d$x nobody knows whether the next word is asked for
		case 'I': // and how exactly
			return dateFlag{}, ok && a.fixed
		case 'u', 'R':
		default:
			return dateFlag{}, false
		}
	}
	return dateFlag{}, ok && a.fixed && letters != ""
}
