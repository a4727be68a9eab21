package policy

import "mvdan.cc/sh/v3/syntax"

// call judges one plain command with its assignments, once for each choice of what its variables hold.
func (j *judge) call(c *syntax.CallExpr) {
	name := ""
	if len(c.Args) > 0 {
		name = c.Args[0].Lit()
	}
	for _, a := range c.Assigns {
		if a.Name != nil && a.Name.Value == "IFS" && name == "read" && a.Array == nil {
			j.look(a.Value)
			continue
		}
		j.assign(a, len(c.Args) > 0)
	}
	for _, w := range c.Args {
		j.look(w)
	}
	if len(c.Args) == 0 || j.calls(c, name) {
		return
	}
	for i, b := range j.scope.bindings(j.env, c.Args...) {
		if i > 0 {
			j.count()
		}
		first := literal(c.Args[0])
		if first.origin = j.scope.origin(c.Args[0], nil); first.origin != known || hasBraces(c.Args[0]) || tilde(c.Args[0]) {
			first.fixed = false
		}
		args := []arg{first}
		for _, w := range c.Args[1:] {
			args = append(args, j.args(w, b)...)
		}
		j.argv(args)
	}
}

// calls says whether a command is a call of a function. Functions are called behind where they end, so none calls
// itself.
func (j *judge) calls(c *syntax.CallExpr, name string) bool {
	f := j.scope.functions[name]
	if f == nil || name == "" {
		return false
	}
	if c.Pos().Offset() < f.End().Offset() || len(c.Args)-1 > maxParams || len(c.Assigns) > 0 {
		j.cannot("this call of a function")
	}
	return true
}

// argv judges one command by its words.
func (j *judge) argv(args []arg) {
	name := args[0]
	switch {
	case len(args) > maxWords:
		j.raise(Forbidden, "The command has too many words.")
		return
	case !name.fixed || name.glob:
		j.raise(Forbidden, "The name of a command must be written out.")
		return
	}
	prog, why := program(name.text)
	if why != "" {
		j.raise(Forbidden, why)
		return
	}
	j.programs = append(j.programs, prog)
	j.known(prog, args[1:])
}

// known looks the program up: forbidden ones, those with a grammar of their own, the table, and the rest.
func (j *judge) known(prog string, args []arg) {
	for _, a := range args {
		if !a.fixed {
			j.unsure(prog, a)
		}
	}
	j.unpacks(prog, args)
	j.unzips(prog, args)
	j.told(prog, args)
}

// told judges a program by its words.
func (j *judge) told(prog string, args []arg) {
	_, own := clients[prog]
	if prog != "git" && !own && j.looks(prog, args) {
		return
	}
	if why := Never(prog); why != "" {
		j.raise(Forbidden, why)
		return
	}
	if f, ok := special[prog]; ok {
		f(j, args)
		return
	}
	if s, ok := table[prog]; ok {
		j.grammar(s, args)
		return
	}
	j.unknown(prog, args)
}
