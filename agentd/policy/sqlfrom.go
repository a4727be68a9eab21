package policy

import (
	"slices"
	"strings"
)

// sqlGiven are the names in FROM of what functions give, and where the list of its columns may begin that each is given
// with; -1: nowhere. lower('x') AS t is one value and no row:
// Postgres takes t.name for name('x'), unless the value bears that name.
type sqlGiven map[string][]int

// fromFunctions finds all of them in one pass. What stands in parentheses of its own in FROM is a part of it.
func fromFunctions(s []sqlToken) sqlGiven {
	type paren struct {
		at   int
		from bool
	}
	out, open, from := sqlGiven{}, []paren(nil), false
	for i, t := range s {
		switch {
		case t.is("("):
			open = append(open, paren{i, from})
			if from && beginsTable(s, i-1) {
				out.add(at(s, i-1), -1)
			}
		case t.is(")") && len(open) > 0:
			last := open[len(open)-1]
			open, from = open[:len(open)-1], last.from
			if from && callsAt(s, last.at) {
				out.behind(s, i)
			}
		case t.kind == sqlWord && from && sqlSession[t.text] && beginsTable(s, i):
			out.behind(s, i)
		case t.kind == sqlWord && !at(s, i-1).is("."):
			from = sqlTables[t.text] || from && !sqlNoTables[t.text]
		}
	}
	return out
}

// sqlSession are words that tell of the session as functions do, without a parenthesis.
var sqlSession = words("current_catalog current_date current_role current_schema current_time current_timestamp current_user localtime localtimestamp session_user system_user user")

// sqlTables are words behind which tables stand, and sqlNoTables those behind which none do.
var (
	sqlTables   = words("from join using")
	sqlNoTables = words("select where having returning")
)

// behind notes the name that is given behind what ends at i.
func (g sqlGiven) behind(s []sqlToken, i int) {
	i++
	if at(s, i).is("as") {
		i++
	}
	g.add(at(s, i), i+1)
}

func (g sqlGiven) add(t sqlToken, list int) {
	if t.kind == sqlWord || t.kind == sqlName {
		name := strings.ToLower(t.text)
		g[name] = append(g[name], list)
	}
}

// beginsTable says whether a table begins with the name at k, or with its schema.
func beginsTable(s []sqlToken, k int) bool {
	return slices.ContainsFunc([]string{"from", "join", "lateral", "using", ",", "(", "."}, at(s, k-1).is)
}

// callsAt says whether the parenthesis that begins at i is that of a function.
func callsAt(s []sqlToken, i int) bool {
	before := at(s, i-1)
	return (before.kind == sqlWord || before.kind == sqlName) && !sqlNoCall[before.text] || before.is("from") && at(s, i-2).is("rows")
}

// sqlNoCall are words in FROM with a parenthesis behind them that is no function's.
var sqlNoCall = words("from join lateral on using as values")

// value says whether the name at i, behind a dot, may be that of a function that is called with what another one gives.
func (g sqlGiven) value(s []sqlToken, i int, name string) bool {
	row := at(s, i-2)
	if row.is(")") && at(s, i-4).is("(") {
		row = at(s, i-3)
	}
	if row.kind != sqlWord && row.kind != sqlName || at(s, i+1).is("(") || sqlFields[name] || strings.EqualFold(row.text, name) {
		return false
	}
	return slices.ContainsFunc(g[strings.ToLower(row.text)], func(list int) bool { return !lists(s, list, name) })
}

// lists says whether a list of names in parentheses begins at i that holds a name.
func lists(s []sqlToken, i int, name string) bool {
	if !at(s, i).is("(") {
		return false
	}
	for i++; i < len(s) && !s[i].is(")"); i++ {
		if s[i].kind != sqlString && strings.EqualFold(s[i].text, name) {
			return true
		}
	}
	return false
}
