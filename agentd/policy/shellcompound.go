package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (j *judge) cases(c *syntax.CaseClause) {
	j.look(c.Word)
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			j.look(p)
		}
		j.list(item.Stmts)
	}
}

// fileTests are the tests of [[ that look at a file, textTests those that look at a text.
var (
	fileTests = []syntax.UnTestOperator{syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsNoEmpty, syntax.TsRead, syntax.TsWrite, syntax.TsExec, syntax.TsSmbLink}
	textTests = []syntax.UnTestOperator{syntax.TsEmpStr, syntax.TsNempStr}
	comparing = []syntax.BinTestOperator{syntax.TsReMatch, syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch, syntax.TsBefore, syntax.TsAfter}
	counting  = []syntax.BinTestOperator{syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr}
	ages      = []syntax.BinTestOperator{syntax.TsNewer, syntax.TsOlder}
)

// compare judges what stands in [[ ]].
func (j *judge) compare(x syntax.TestExpr) {
	j.count()
	switch x := x.(type) {
	case *syntax.Word:
		j.look(x)
	case *syntax.ParenTest:
		j.compare(x.X)
	case *syntax.UnaryTest:
		j.compareOne(x)
	case *syntax.BinaryTest:
		j.compareTwo(x)
	default:
		j.cannot("this test")
	}
}

func (j *judge) compareOne(x *syntax.UnaryTest) {
	w, ok := x.X.(*syntax.Word)
	switch {
	case x.Op == syntax.TsNot:
		j.compare(x.X)
	case ok && slices.Contains(fileTests, x.Op):
		j.tested(w)
	case ok && slices.Contains(textTests, x.Op):
		j.look(w)
	default:
		j.cannot("this test")
	}
}

func (j *judge) compareTwo(x *syntax.BinaryTest) {
	if x.Op == syntax.AndTest || x.Op == syntax.OrTest {
		j.compare(x.X)
		j.compare(x.Y)
		return
	}
	for _, side := range []syntax.TestExpr{x.X, x.Y} {
		w, ok := side.(*syntax.Word)
		switch {
		case ok && slices.Contains(comparing, x.Op):
			j.look(w)
		case ok && slices.Contains(counting, x.Op):
			j.look(w)
			j.compared(w)
		case ok && slices.Contains(ages, x.Op):
			j.tested(w)
		default:
			j.cannot("this test")
		}
	}
}

// compared judges a word that is compared as a number.
func (j *judge) compared(w *syntax.Word) {
	for _, name := range j.scope.numbers(w) {
		j.countsFor(name, w.Pos().Offset())
	}
	if text := Rough(w); strings.ContainsAny(text, "[$`") {
		j.raise(Red, "A shell would run what stands in a text that is used as a number.")
	}
}

// tested judges a word that is the name of a file.
func (j *judge) tested(w *syntax.Word) {
	j.look(w)
	for _, b := range j.scope.bindings(j.env, w) {
		j.path(j.word(w, b), false, nil)
	}
}

// function judges the body of a function once, for all that it is ever called with. Its name must be no program's:
// what a text calls must do what it says.
func (j *judge) function(c *syntax.FuncDecl) {
	if c.Name == nil || !variable.MatchString(c.Name.Value) || startsSomething(c.Name.Value) || j.scope.functions[c.Name.Value] != c {
		j.cannot("a function that bears the name of a program, or of another function")
	}
	j.stmt(c.Body)
}
