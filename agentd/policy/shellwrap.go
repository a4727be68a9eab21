package policy

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// wrapFlags are the flags of a program that runs another one: name → what its value must look like, nil when it takes
// none. A value that could be the name of a command is not accepted: what follows would be judged as the command then.
type wrapFlags struct {
	flags map[string]*lazyre.Regexp
	value *lazyre.Regexp // a word that must follow the flags
}

var (
	digits   = lazyre.MustCompile(`^-?[0-9]+$`)
	duration = lazyre.MustCompile(`^[0-9]+(\.[0-9]+)?[smhd]?$`)
	signal   = lazyre.MustCompile(`^(SIG)?(TERM|KILL|INT|HUP|QUIT|USR1|USR2|[0-9]+)$`)
	bufMode  = lazyre.MustCompile(`^(0|L|[0-9]+[KM]?)$`)
)

// wrappers are the programs that run another one which stands behind their flags. env is one, too, with rules of its own.
var wrappers = map[string]wrapFlags{
	"nice":    {flags: map[string]*lazyre.Regexp{"-n": digits}},
	"ionice":  {flags: map[string]*lazyre.Regexp{"-c": digits, "-n": digits, "-c2": nil, "-c3": nil, "-n7": nil}},
	"timeout": {flags: map[string]*lazyre.Regexp{"-k": duration, "-s": signal, "--foreground": nil, "--preserve-status": nil, "-v": nil}, value: duration},
	"setsid":  {flags: map[string]*lazyre.Regexp{"-w": nil, "--wait": nil}},
	"stdbuf":  {flags: map[string]*lazyre.Regexp{"-o": bufMode, "-e": bufMode, "-i": bufMode, "-oL": nil, "-o0": nil, "-eL": nil, "-e0": nil, "-i0": nil}},
	"nohup":   {}, "chrt": {}, "taskset": {}, "time": {},
}

// Wraps says whether a program runs another one that stands behind its flags. The runner looks for it there.
func Wraps(prog string) bool {
	_, ok := wrappers[prog]
	return ok || prog == "env"
}

// wrap judges a command that runs another one.
func wrap(w wrapFlags) func(*judge, []arg) {
	return func(j *judge, args []arg) {
		if inner := j.inner(w, args); len(inner) > 0 {
			j.wrapped(inner)
		}
	}
}

// wrapped judges the command behind a wrapper.
func (j *judge) wrapped(inner []arg) {
	if prog, _ := program(inner[0].text); prog == "xargs" {
		j.cannot("xargs behind another command")
	}
	j.argv(inner)
}

// inner skips the flags of a wrapper. What it does not understand is forbidden, for the command could begin anywhere.
func (j *judge) inner(w wrapFlags, args []arg) []arg {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") && args[0].fixed {
		shape, known := w.flags[args[0].text]
		if !known || shape != nil && (len(args) < 2 || !args[1].fixed || !shape.MatchString(args[1].text)) {
			j.cannot("this flag of a command that runs another one: " + visible(args[0].text))
			j.behind(args)
			return nil
		}
		args = args[1:]
		if shape != nil {
			args = args[1:]
		}
	}
	if w.value != nil {
		if len(args) == 0 || !args[0].fixed || !w.value.MatchString(args[0].text) {
			j.cannot("this form of a command that runs another one")
			j.behind(args)
			return nil
		}
		args = args[1:]
	}
	return args
}

// envCommand prints the (empty) environment, or runs a command with the few variables that are passed on.
func (j *judge) envCommand(args []arg) {
	if !anyWord(args, func(w string) bool { return w != "" && w[0] != '-' && !strings.Contains(w, "=") }) {
		j.raise(Red, "It prints all settings with their values.")
	}
	for i, a := range args {
		name, value, isVar := strings.Cut(a.text, "=")
		switch {
		case isVar && variable.MatchString(name):
			j.variable(name, arg{text: value, fixed: a.fixed}, true)
		case a.text == "-i" || a.text == "-" || a.text == "-0":
		case strings.HasPrefix(a.text, "-"):
			j.cannot("this flag of env")
			j.behind(args)
			return
		default:
			j.wrapped(args[i:])
			return
		}
	}
}
