package inside

import (
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/policy"
)

// declare sets local variables and arrays, and the few that programs are given.
func (r *runner) declare(c *syntax.DeclClause, s streams) {
	r.status = 0
	kind, vars, ok := policy.Declared(c)
	if !ok {
		r.fail(s, statusRefused, "refused: this shell does not know this declaration")
		return
	}
	for _, a := range vars {
		name := a.Name.Value
		if c.Variant.Value != "export" {
			r.keep(name)
		}
		switch local := len(r.locals) > 0 && c.Variant.Value != "export"; {
		case kind != "" && (local || r.vars.values[name].Kind != empty(kind).Kind), a.Naked && c.Variant.Value == "local":
			r.vars.values[name] = empty(kind)
		}
		if a.Naked && c.Variant.Value != "export" {
			continue
		}
		value, err := r.assigned(a, s)
		if err != nil {
			r.fail(s, statusFailed, "%v", err)
			return
		}
		r.vars.values[name] = value
		if c.Variant.Value == "export" {
			r.programEnv = append(append([]string{}, r.programEnv...), name+"="+value.String())
		}
	}
}

// keep remembers what a variable was before a function made it its own.
func (r *runner) keep(name string) {
	if len(r.locals) == 0 {
		return
	}
	own := r.locals[len(r.locals)-1]
	if _, ok := own[name]; !ok {
		own[name] = r.vars.values[name]
		delete(r.vars.own, name)
	}
}

// invoke runs a function with its parameters, and puts its local variables back.
func (r *runner) invoke(f *syntax.FuncDecl, params []string, s streams) {
	if len(r.locals) >= maxCalls {
		r.fail(s, statusRefused, "refused: functions call each other too deep")
		return
	}
	before := r.vars.params
	own := map[string]expand.Variable{}
	r.vars.params, r.locals = params, append(r.locals, own)
	r.status = 0
	r.stmt(f.Body, s)
	if r.leaves == leaveFunction {
		r.leaves = 0
	}
	r.vars.params, r.locals = before, r.locals[:len(r.locals)-1]
	for name, value := range own {
		r.vars.values[name] = value
		delete(r.vars.own, name)
		if !value.Declared() {
			delete(r.vars.values, name)
		}
	}
}

// maxCalls is how deep functions may call each other.
const maxCalls = 64
