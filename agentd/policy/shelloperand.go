package policy

import (
	"slices"
	"strings"
)

// isGiven says whether a flag gives what would be the first operand: all operands are files then.
func (g grammar) isGiven(args []arg) bool {
	return g.given != "" && slices.ContainsFunc(args, func(a arg) bool {
		name, _, _ := strings.Cut(a.text, "=")
		short := len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text, g.given)
		return short || len(name) > 3 && (strings.HasPrefix("--regexp", name) || strings.HasPrefix("--file", name))
	})
}

// values marks the words that are for sure the value of the flag before them: -n 5. In doubt a word is none.
func (g grammar) values(args []arg) []bool {
	out := make([]bool, len(args))
	for i := 0; i < len(args)-1; i++ {
		f := args[i]
		if f.text == "--" || !f.fixed {
			break
		}
		if len(f.text) == 2 && f.text[0] == '-' && strings.Contains(g.short, f.text[1:]+":") {
			i++
			out[i] = true
		}
	}
	return out
}

// hasFlag says whether a flag with one of the letters is among the words, or a long one that means to go into folders.
func hasFlag(args []arg, letters string) bool {
	return slices.ContainsFunc(args, func(a arg) bool {
		if strings.HasPrefix(a.text, "--") {
			return len(a.text) > 2 && slices.ContainsFunc([]string{"--recursive", "--dereference-recursive", "--archive"}, func(f string) bool {
				return strings.HasPrefix(f, a.text)
			})
		}
		return len(a.text) > 1 && a.text[0] == '-' && strings.ContainsAny(a.text, letters)
	})
}

// beforeDashes are the words before a lone --, which ends the flags.
func beforeDashes(args []arg) []arg {
	if i := slices.IndexFunc(args, func(a arg) bool { return a.text == "--" }); i >= 0 {
		return args[:i]
	}
	return args
}

// operandsOf are the words that are no flags.
func operandsOf(args []arg) []arg {
	var out []arg
	ended := false
	for _, a := range args {
		switch {
		case a.text == "--" && !ended:
			ended = true
		case ended || len(a.text) < 2 || a.text[0] != '-':
			out = append(out, a)
		}
	}
	return out
}

// into notes the operands as folders that the command goes into with all that is in them; when there may be none it
// is the working folder.
func (j *judge) into(ops []arg, least int) {
	for _, a := range ops {
		j.trees = append(j.trees, j.abs(a.text))
	}
	if len(ops) < least {
		j.trees = append(j.trees, j.env.cwd())
	}
}

// replaced notes what would be replaced: the last operand, what bears the name of another operand in it when it is a
// folder, or every operand.
func (j *judge) replaced(g grammar, args []arg) {
	ops := operandsOf(args)
	if g.all || len(ops) == 0 {
		for _, a := range ops {
			if !anyWord(beforeDashes(args), func(w string) bool { return shortFlag(w, "a") || w == "--append" }) {
				j.lost(a.text)
			}
		}
		return
	}
	to := targetFolder(beforeDashes(args))
	if to == "" {
		to = ops[len(ops)-1].text
	}
	j.replacedIn(to, ops, args)
	if late := targetFolder(args); late != "" && late != to { // -- may have been what a flag asks for
		j.replacedIn(late, ops, args)
	}
}

// replacedIn notes what would be replaced at one place.
func (j *judge) replacedIn(to string, ops, args []arg) {
	j.lost(to)
	whole := hasFlag(args, "rRa")
	if whole && hasFlag(args, "T") {
		j.merged(to)
	}
	for _, a := range ops {
		clean := strings.TrimRight(a.text, "/")
		inside := to + "/" + clean[strings.LastIndexByte(clean, '/')+1:]
		j.lost(inside)
		if whole {
			j.merged(inside)
		}
	}
}

// targetFolder is the value of -t or --target-directory, of cp and mv.
func targetFolder(args []arg) string {
	for i, a := range args {
		if name, value, has := strings.Cut(a.text, "="); has && len(name) > 2 && strings.HasPrefix("--target-directory", name) {
			return value
		}
		if !shortFlag(a.text, "t") {
			continue
		}
		if value := a.text[strings.IndexByte(a.text, 't')+1:]; value != "" || i == len(args)-1 {
			return value
		}
		return args[i+1].text
	}
	return ""
}

// lost notes a file in the data root whose present content a command would replace.
func (j *judge) lost(p string) {
	if rel, _, ok := Rel(j.abs(p), j.env); ok && rel != "." {
		j.writes = append(j.writes, rel)
	}
}

// merged notes a folder in the data root into which whole folders would be copied.
func (j *judge) merged(p string) {
	if rel, _, ok := Rel(j.abs(p), j.env); ok {
		j.merges = append(j.merges, rel)
	}
}
