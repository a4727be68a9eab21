package policy

import "strings"

// contained judges the command that is to run in a container as if it ran on the machine: what it does there is done to
// the same business. Where it begins must be known for that, else every word is looked at; and so it is when the program
// is a file of the container, which the machine would not run and cannot know.
func (j *judge) contained(flags string, rest []arg) {
	inner, ok := containedIn(flags, rest)
	own := false
	if len(inner) > 0 && strings.Contains(inner[0].text, "/") {
		_, why := program(inner[0].text)
		own = why != ""
	}
	if own {
		j.raise(CriticalRed, "It runs a program of the container's own, and what that does is not known.")
	}
	if !ok || own {
		for _, a := range rest {
			j.loose(a)
		}
	}
	if len(inner) > 0 && !own {
		j.wrapped(inner)
	}
	j.behind(rest)
}

// containedIn is the command behind the flags and the container; not ok when the flags are not understood.
func containedIn(flags string, rest []arg) (inner []arg, ok bool) {
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		flag := rest[0]
		if rest = rest[1:]; flag.text == "--" {
			break
		}
		takes, known := flagsIn(flags, flag.text)
		if !known || !flag.fixed || takes && len(rest) == 0 {
			return nil, false
		}
		if takes {
			rest = rest[1:]
		}
	}
	if len(rest) == 0 {
		return nil, true
	}
	return rest[1:], true
}
