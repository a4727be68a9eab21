package inside

import (
	"fmt"
	"maps"
	"strconv"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/policy"
)

// element is a variable with one element of it set: of a map by its key, of a list by its number. A list has no gaps.
func (r *runner) element(name string, index syntax.ArithmExpr, value string, s streams) (expand.Variable, error) {
	if r.vars.values[name].Kind == expand.Associative {
		w, ok := index.(*syntax.Word)
		if !ok {
			return expand.Variable{}, fmt.Errorf("refused: the key of %s is no word", name)
		}
		key, err := r.literal(w, s)
		v := r.vars.array(name)
		v.Map[key], v.Set = value, true
		return v, err
	}
	n, err := r.arithm(index, s)
	if err != nil {
		return expand.Variable{}, err
	}
	v := r.vars.array(name)
	list := v.List
	if v.Kind == expand.String && v.Set {
		list = []string{v.Str}
	}
	switch {
	case n >= 0 && n < len(list):
		list[n] = value
	case n == len(list):
		list = append(list, value)
	default:
		return v, fmt.Errorf("refused: %s[%d] would leave a gap", name, n)
	}
	return expand.Variable{Set: true, Kind: expand.Indexed, List: list}, nil
}

// empty is what a declaration makes of a variable that it gives no value: nothing, of a kind.
func empty(kind string) expand.Variable {
	switch kind {
	case "-A":
		return expand.Variable{Kind: expand.Associative, Map: map[string]string{}}
	case "-a":
		return expand.Variable{Kind: expand.Indexed}
	}
	return expand.Variable{}
}

// keyed is a map with the values that stand in an assignment: ([key]=value …).
func (r *runner) keyed(v expand.Variable, a *syntax.ArrayExpr, s streams) (expand.Variable, error) {
	out := expand.Variable{Set: true, Kind: expand.Associative, Map: maps.Clone(v.Map)}
	for _, e := range a.Elems {
		w, ok := e.Index.(*syntax.Word)
		if !ok {
			return out, fmt.Errorf("refused: a value of a map lacks its key")
		}
		key, err := r.literal(w, s)
		if err != nil {
			return out, err
		}
		if out.Map[key], err = r.literal(e.Value, s); err != nil {
			return out, err
		}
	}
	return out, nil
}

// operations are those of which an assignment with an operator consists.
var operations = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub,
	syntax.MulAssgn: syntax.Mul, syntax.QuoAssgn: syntax.Quo, syntax.RemAssgn: syntax.Rem,
	syntax.AndAssgn: syntax.And, syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor,
	syntax.ShlAssgn: syntax.Shl, syntax.ShrAssgn: syntax.Shr,
}

// change works out arithmetic that may change an element of an array, which the expansions do not do.
func (r *runner) change(x syntax.ArithmExpr, s streams) (int, error) {
	e, ok := policy.Element(x)
	if !ok {
		return r.arithm(x, s)
	}
	before, err := r.arithm(&syntax.Word{Parts: []syntax.WordPart{e}}, s)
	if err != nil {
		return 0, err
	}
	after, result := before, 0
	switch x := x.(type) {
	case *syntax.UnaryArithm:
		if after++; x.Op == syntax.Dec {
			after = before - 1
		}
		if result = after; x.Post {
			result = before
		}
	case *syntax.BinaryArithm:
		y := x.Y
		if op, ok := operations[x.Op]; ok {
			y = &syntax.BinaryArithm{Op: op, X: x.X, Y: x.Y}
		}
		after, err = r.arithm(y, s)
		result = after
	}
	if err != nil {
		return 0, err
	}
	v, err := r.element(e.Param.Value, e.Index, strconv.Itoa(after), s)
	if err != nil {
		return 0, err
	}
	r.vars.values[e.Param.Value] = v
	return result, nil
}
