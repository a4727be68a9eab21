package inside

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// variables are what a text has set, and what it may read. They are no settings of programs.
type variables struct {
	r      *runner
	values map[string]expand.Variable
	params []string        // of the function that runs
	own    map[string]bool // arrays that nobody else holds: they are changed in place
}

// copy is what a subshell begins with. The arrays are held by both then.
func (v *variables) copy(r *runner) *variables {
	v.own = nil
	return &variables{r: r, values: maps.Clone(v.values), params: v.params}
}

// array is a variable whose elements may be changed in place.
func (v *variables) array(name string) expand.Variable {
	a := v.values[name]
	if !v.own[name] {
		a.Map, a.List = maps.Clone(a.Map), slices.Clone(a.List)
		if v.own == nil {
			v.own = map[string]bool{}
		}
		v.own[name] = true
	}
	return a
}

// Get gives a variable as the expansions want it.
func (v *variables) Get(name string) expand.Variable {
	switch name {
	case "PWD":
		return text(v.r.dir)
	case "HOME":
		return text(v.r.env.Root)
	case "?":
		return text(strconv.Itoa(v.r.status))
	case "#":
		return text(strconv.Itoa(len(v.params)))
	case "$":
		return text("1")
	case "@", "*":
		return expand.Variable{Set: true, Kind: expand.Indexed, List: v.params}
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n < 1 || n > len(v.params) {
			return expand.Variable{}
		}
		return text(v.params[n-1])
	}
	return v.values[name]
}

func text(s string) expand.Variable {
	return expand.Variable{Set: true, Kind: expand.String, Str: s}
}

// Each goes through all variables.
func (v *variables) Each(f func(string, expand.Variable) bool) {
	for name, value := range v.values {
		if !f(name, value) {
			return
		}
	}
}

// Set is what arithmetic does: $((n++)).
func (v *variables) Set(name string, value expand.Variable) error {
	v.values[name] = value
	return nil
}

// assigned is what an assignment makes of a variable.
func (r *runner) assigned(a *syntax.Assign, s streams) (expand.Variable, error) {
	before := r.vars.values[a.Name.Value]
	if a.Array != nil && before.Kind == expand.Associative {
		if !a.Append {
			before = empty("-A")
		}
		return r.keyed(before, a.Array, s)
	}
	if a.Array != nil {
		words := make([]*syntax.Word, 0, len(a.Array.Elems))
		for _, e := range a.Array.Elems {
			words = append(words, e.Value)
		}
		list, err := r.fields(words, s)
		if a.Append && before.Kind == expand.Indexed {
			list = append(r.vars.array(a.Name.Value).List, list...)
		}
		return expand.Variable{Set: true, Kind: expand.Indexed, List: list}, err
	}
	value, err := r.literal(a.Value, s)
	if err == nil && a.Index != nil {
		return r.element(a.Name.Value, a.Index, value, s)
	}
	if a.Append {
		value = before.String() + value
	}
	return text(value), err
}

// arithm works out a number; what it is not told stays 0.
func (r *runner) arithm(x syntax.ArithmExpr, s streams) (int, error) {
	if x == nil {
		return 1, nil
	}
	n, err := expand.Arithm(r.config(s), x)
	if err != nil {
		return 0, fmt.Errorf("arithmetic: %s", strings.TrimSpace(err.Error()))
	}
	return n, nil
}
