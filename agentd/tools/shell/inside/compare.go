package inside

import (
	"fmt"
	"regexp"

	"mvdan.cc/sh/v3/syntax"
)

func matches(expr, s string) (bool, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return false, fmt.Errorf("pattern: %w", err)
	}
	return re.MatchString(s), nil
}

// compare works out what stands in [[ ]].
func (r *runner) compare(x syntax.TestExpr, s streams) (bool, error) {
	switch x := x.(type) {
	case *syntax.Word:
		text, err := r.literal(x, s)
		return text != "", err
	case *syntax.ParenTest:
		return r.compare(x.X, s)
	case *syntax.UnaryTest:
		return r.compareOne(x, s)
	case *syntax.BinaryTest:
		return r.compareTwo(x, s)
	}
	return false, fmt.Errorf("refused: this shell does not know %T", x)
}

func (r *runner) compareOne(x *syntax.UnaryTest, s streams) (bool, error) {
	if x.Op == syntax.TsNot {
		yes, err := r.compare(x.X, s)
		return !yes, err
	}
	w, ok := x.X.(*syntax.Word)
	if !ok {
		return false, fmt.Errorf("refused: this shell does not know this test")
	}
	text, err := r.literal(w, s)
	switch {
	case err != nil:
		return false, err
	case x.Op == syntax.TsEmpStr:
		return text == "", nil
	case x.Op == syntax.TsNempStr:
		return text != "", nil
	}
	return r.file(x.Op, text)
}

func (r *runner) compareTwo(x *syntax.BinaryTest, s streams) (bool, error) {
	switch x.Op {
	case syntax.AndTest, syntax.OrTest:
		yes, err := r.compare(x.X, s)
		if err != nil || yes == (x.Op == syntax.OrTest) {
			return yes, err
		}
		return r.compare(x.Y, s)
	}
	left, lok := x.X.(*syntax.Word)
	right, rok := x.Y.(*syntax.Word)
	if !lok || !rok {
		return false, fmt.Errorf("refused: this shell does not know this test")
	}
	a, err := r.literal(left, s)
	if err != nil {
		return false, err
	}
	switch x.Op {
	case syntax.TsMatch, syntax.TsMatchShort:
		return r.fits(a, right, s)
	case syntax.TsNoMatch:
		yes, err := r.fits(a, right, s)
		return !yes, err
	}
	b, err := r.literal(right, s)
	if err != nil {
		return false, err
	}
	return r.compareTexts(x.Op, a, b)
}

func (r *runner) compareTexts(op syntax.BinTestOperator, a, b string) (bool, error) {
	switch op {
	case syntax.TsReMatch:
		return matches(b, a)
	case syntax.TsBefore:
		return a < b, nil
	case syntax.TsAfter:
		return a > b, nil
	case syntax.TsNewer, syntax.TsOlder:
		if op == syntax.TsOlder {
			a, b = b, a
		}
		one, err := r.stat(a, true)
		if err != nil || one == nil {
			return false, err
		}
		two, err := r.stat(b, true)
		return err == nil && (two == nil || one.ModTime().After(two.ModTime())), err
	}
	return compareNumbers(op, a, b)
}
