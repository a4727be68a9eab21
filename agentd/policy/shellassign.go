package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/lazyre"
)

// passedOn are the variables that a program may be given; all others stay empty.
var passedOn = []string{"LANG", "LC_ALL", "LC_TIME", "LC_NUMERIC", "LC_COLLATE", "LC_CTYPE", "TZ", "COLUMNS", "NO_COLOR"}

// shellOwn are variables that mean something to shells.
var shellOwn = words("PATH IFS PWD OLDPWD HOME ENV SHELL SHELLOPTS PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL CDPATH GLOBIGNORE TMPDIR REPLY")

// timeZone is the name of a time zone, beneath the folder of the system.
var timeZone = lazyre.MustCompile(`^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z][A-Za-z0-9_+-]*){0,2}$`)

// assign judges name=value, alone or before a command.
func (j *judge) assign(a *syntax.Assign, before bool) {
	if a.Name == nil || before && (a.Append || a.Array != nil || a.Index != nil) {
		j.cannot("this kind of assignment")
		j.inside(a)
		return
	}
	values := []arg{{fixed: true}}
	if a.Value != nil {
		j.look(a.Value)
		values = j.scope.textValue(a.Value).each()
	}
	if a.Index != nil {
		j.index(a.Name.Value, a.Index)
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Index != nil && !j.scope.maps[a.Name.Value] {
				j.cannot("this kind of array")
			} else if e.Index != nil {
				j.index(a.Name.Value, e.Index)
			}
			j.look(e.Value)
		}
	}
	for _, v := range values {
		j.variable(a.Name.Value, v, before)
	}
}

// each is a value as every word that it may be; one that is not known when that is not sure.
func (v value) each() (all []arg) {
	if v.origin != known || len(v.texts) == 0 {
		all = append(all, arg{})
	}
	for _, t := range v.texts {
		all = append(all, arg{text: t, fixed: true})
	}
	return all
}

// variable judges setting one variable, for this text or for one program.
func (j *judge) variable(name string, value arg, forProgram bool) {
	switch {
	case forProgram && name == "TZ" && value.fixed && timeZone.MatchString(value.text):
	case forProgram && (!slices.Contains(passedOn, name) || !value.fixed || strings.ContainsAny(value.text, "/%(){}")):
		j.raise(Forbidden, "Programs are given no variables but a few about language and time.")
	case !forProgram && (shellOwn[name] || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "GIT_")):
		j.raise(Forbidden, "This variable cannot be set.")
	}
}
