package policy

import (
	"slices"
	"strings"
)

// read fills variables from what comes in. Where that comes from says what they count as (shellcollect.go).
func (j *judge) read(args []arg) {
	if slices.ContainsFunc(args, func(a arg) bool { return !a.fixed || a.glob }) {
		j.cannot("a name that is not written out")
		return
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.text
	}
	how, ok := ReadWords(texts)
	if !ok || len(how.Names) == 0 {
		j.cannot("this form of read")
	}
	for _, name := range how.Names {
		if !variable.MatchString(name) {
			j.cannot("this form of read")
			return
		}
		j.variable(name, arg{}, false)
	}
}

// Reading is how the command read is called.
type Reading struct {
	Raw   bool     // -r: a backslash means nothing
	All   bool     // -d '': up to a NUL, or all there is
	Names []string // the variables that are filled
}

// ReadWords reads the words of the command read; ok is false when they hold a flag that this shell does not know. The
// runner reads them with it too, so both mean the same.
func ReadWords(words []string) (r Reading, ok bool) {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		flag := words[0]
		words = words[1:]
		if flag != "-r" && flag != "-d" && flag != "-rd" {
			return r, false
		}
		r.Raw = r.Raw || strings.Contains(flag, "r")
		if strings.Contains(flag, "d") {
			if len(words) == 0 || words[0] != "" {
				return r, false // another mark could cut a word into two
			}
			r.All, words = true, words[1:]
		}
	}
	r.Names = words
	return r, true
}

// mapfile fills an array from what comes in.
func (j *judge) mapfile(args []arg) {
	if len(args) == 0 || len(args) > 2 || len(args) == 2 && args[0].text != "-t" {
		j.cannot("this form of mapfile")
		return
	}
	name := args[len(args)-1]
	if !name.fixed || !variable.MatchString(name.text) {
		j.cannot("a name that is not written out")
	}
	j.variable(name.text, arg{}, false)
}

// options are those of set that only make a text stop earlier, or tell.
var options = words("errexit nounset pipefail")

// set switches options. To set parameters is another matter: functions are given theirs.
func (j *judge) set(args []arg) {
	named := false
	for _, a := range args {
		flags := strings.TrimLeft(a.text, "+-")
		switch {
		case named && a.fixed && options[a.text]:
			named = false
		case named || !a.fixed || flags == a.text || flags == "" || strings.Trim(flags, "euo") != "" || len(a.text)-len(flags) != 1:
			j.cannot("this form of set")
			return
		default:
			named = strings.HasSuffix(flags, "o")
		}
	}
	if named || len(args) == 0 {
		j.cannot("this form of set")
	}
}

// leave ends a function or a loop, with a number.
func (j *judge) leave(args []arg) {
	if len(args) > 1 || len(args) == 1 && args[0].fixed && strings.Trim(args[0].text, "0123456789") != "" {
		j.raise(Red, "It takes a number here.")
	}
}

// pager prints files: what reads from no terminal turns no pages and takes no commands.
func (j *judge) pager(args []arg) {
	if anyWord(args, func(w string) bool { return strings.HasPrefix(w, "+") }) {
		j.raise(Red, "It runs commands of its own.")
	}
	j.grammar(grammar{tier: Green, short: "NSRiInFXEeMmrsKSd"}, args)
}
