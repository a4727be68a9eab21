package policy

import "strings"

// sqlSigns are the signs of which Postgres makes operators.
const sqlSigns = "+-*/<>=~!@#%^&|`?"

// sqlOperators are the operators that Postgres brings along, and those of the extensions for vectors, similarity, places
// and pairs of names and values. Any other one is a function that somebody wrote.
var sqlOperators = words(`+ - * / < > = ~ ! @ # % ^ & | ? <= >= <> != => ** || -> ->> #> #>> #- @> <@ ?| ?& @? @@ @@@ && << >> <<= >>= ~~ !~~ ~~* !~~* ~* !~ !~* ~=
	~>~ ~<~ ~>=~ ~<=~ |/ ||/ @-@ ## <-> &< &> <<| |>> &<| |&> ?# ?- ?-| ?|| -|- !! <^ >^ *= *< *> *<= *>= *<> ~>=~ ^@ <=> <#> <+> <~> <%> <% %> <<% %>> <<-> <->> <<<-> <->>> |=|
	<<->> <<#>> &&& %% %# #= ~== ?~ >@ @< @@> <@@ &/& &&/ ~~= ?@> ?<@ ^<@ ^@> ?~>`)

// operatorAt is the operator at the beginning of s, as Postgres reads it: the longest run of signs before a comment. A plus
// or a minus ends one only if it holds a sign that is not in standard SQL.
func operatorAt(s string) string {
	n := 0
	for n < len(s) && strings.IndexByte(sqlSigns, s[n]) >= 0 && !strings.HasPrefix(s[n:], "--") && !strings.HasPrefix(s[n:], "/*") {
		n++
	}
	for n > 1 && (s[n-1] == '+' || s[n-1] == '-') && !strings.ContainsAny(s[:n-1], "~!@#%^&|`?") {
		n--
	}
	return s[:n]
}
