package policy

import (
	"slices"
	"strings"
)

// SQLArgs are the arguments of the tool sql_query.
type SQLArgs struct {
	Query  string `json:"query" jsonschema:"minLength=1,maxLength=65536,description=One statement. Reading runs at once; what changes data is asked."`
	Engine string `json:"engine,omitempty" jsonschema:"description=postgres\\, mysql\\, sqlite\\, mongodb or redis: that of the registered database."`
}

// The engines by the names that are used here.
const (
	postgres = "postgres"
	mysql    = "mysql"
	sqlite   = "sqlite"
	mongodb  = "mongodb"
	redis    = "redis"
)

var sqlEngines = map[string]string{
	"postgres": postgres, "postgresql": postgres, "pg": postgres, "psql": postgres, "timescaledb": postgres, "cockroachdb": postgres,
	"mysql": mysql, "mariadb": mysql, "sqlite": sqlite, "sqlite3": sqlite, "mongodb": mongodb, "mongo": mongodb,
	"redis": redis, "valkey": redis, "keydb": redis,
}

// SQL classifies a query by what its engine would do with it. Without an engine it is the worst of the three that
// speak SQL.
func SQL(a SQLArgs) Class {
	engine, known := sqlEngines[strings.ToLower(a.Engine)]
	switch {
	case a.Engine == "":
		c := sqlClass(a.Query, postgres)
		for _, e := range []string{mysql, sqlite} {
			if other := sqlClass(a.Query, e); other.Tier.Rank() > c.Tier.Rank() {
				c = other
			}
		}
		return c
	case !known:
		return Refuse("database.query.run", "The gate does not know this kind of database.")
	}
	return sqlClass(a.Query, engine)
}

func sqlClass(query, engine string) Class {
	q := &sqlJudge{engine: engine, tier: Green, action: "database.query.select"}
	switch engine {
	case mongodb:
		q.mongo(query)
	case redis:
		q.redis(query)
	default:
		q.text(query)
	}
	return q.class(query)
}

// sqlJudge gathers the worst of the statements of a query.
type sqlJudge struct {
	engine   string
	many     bool   // more than one statement may come
	doubt    bool   // the query could be read in two ways
	database string // one of sqlAccounts that names without a database are looked for in
	tier     Tier
	action   string
	does     string // what it does, for the sentence
	why      string
}

func (q *sqlJudge) raise(t Tier, action, does, why string) {
	if t.Rank() > q.tier.Rank() {
		q.tier, q.action, q.does, q.why = t, action, does, why
	}
}

// notRead raises what is not plain reading and has no name of its own.
func (q *sqlJudge) notRead(why string) { q.raise(Red, "database.query.run", "Run", why) }

func (q *sqlJudge) never(why string) { q.raise(Forbidden, "database.query.run", "Run", why) }

func (q *sqlJudge) class(query string) Class {
	if q.tier == Forbidden {
		return Refuse(q.action, q.why)
	}
	does := q.does
	if does == "" {
		does = "Read from the database"
	}
	return Class{Tier: q.tier, Action: q.action, Says: does + ": " + visible(query), Why: q.why}
}

// sqlScript judges statements that a client runs one after the other: reading twice is reading. They may change the
// database that is used.
func sqlScript(query, engine string, database *string) (Tier, string) {
	q := &sqlJudge{engine: engine, tier: Green, many: true, database: *database}
	q.text(query)
	*database = q.database
	return q.tier, q.why
}

func (q *sqlJudge) text(query string) {
	q.oneReading(query, false)
	if strings.Contains(query, `\`) {
		q.oneReading(query, true)
	}
}

// oneReading judges one way to read the query.
func (q *sqlJudge) oneReading(query string, escape bool) {
	tokens, doubt, err := lexSQL(query, q.engine, escape)
	if err != nil {
		q.never(err.Error())
		return
	}
	q.doubt = doubt != ""
	if q.doubt {
		q.notRead(doubt)
	}
	statements := splitSQL(tokens)
	if len(statements) == 0 {
		q.never("The query is empty.")
	}
	if len(statements) > 1 && !q.many {
		q.notRead("It is more than one statement.")
	}
	for _, s := range statements {
		q.statement(s)
	}
}

// splitSQL splits at semicolons, wherever they stand: in a body of code too, where more of them only make it worse.
func splitSQL(tokens []sqlToken) [][]sqlToken {
	var out [][]sqlToken
	from := 0
	for i := 0; i <= len(tokens); i++ {
		if i < len(tokens) && !tokens[i].is(";") {
			continue
		}
		if i > from {
			out = append(out, tokens[from:i])
		}
		from = i + 1
	}
	return out
}

// statement judges one statement by its first word.
func (q *sqlJudge) statement(s []sqlToken) {
	for len(s) > 0 && s[0].is("(") {
		s = s[1:]
	}
	if len(s) == 0 || s[0].kind != sqlWord {
		q.notRead("The gate does not understand this statement.")
		return
	}
	switch s[0].text {
	case "select", "with", "values", "table", "from":
		q.reading(s)
	case "explain", "describe", "desc":
		q.explain(s[1:])
	case "show":
		q.show(s)
	case "pragma":
		q.pragma(s[1:])
	default:
		q.changing(s)
	}
	q.everywhere(s)
}

// explain runs what it explains in some engines and forms, so it is what that would be. A table is described.
func (q *sqlJudge) explain(s []sqlToken) {
	for i, t := range s {
		switch {
		case t.kind == sqlWord && (sqlBegins(t.text) || t.text == "pragma" || t.text == "explain"): // SQLite sets what a pragma says while it reads it
			q.statement(s[i:])
			return
		case t.kind == sqlWord && !sqlExplains[t.text]:
			if slices.ContainsFunc(s[i:], func(t sqlToken) bool { return t.kind == sqlWord && (sqlBegins(t.text) || t.is("pragma")) || t.is("(") }) {
				q.notRead("The gate does not understand what it explains.")
			}
		}
	}
	q.reading(s)
}

// sqlExplains are the words that say how EXPLAIN explains.
var sqlExplains = words(`analyze analyse verbose query plan extended partitions format json tree traditional text xml yaml buffers costs settings wal timing
	summary generic_plan memory serialize none binary on off true false for connection table`)

// sqlBegins says whether a word can begin what EXPLAIN explains.
func sqlBegins(w string) bool {
	_, changes := sqlVerbs[w]
	return slices.Contains([]string{"select", "with", "values"}, w) || changes && w != "analyze" && w != "analyse"
}

// show tells of the server and its tables; the accounts with their secrets are not told.
func (q *sqlJudge) show(s []sqlToken) {
	if (hasSQLWord(s, "user") || hasSQLWord(s, "server")) && hasSQLWord(s, "create") || hasSQLWord(s, "grants") {
		q.notRead("It shows how an account signs in.")
	}
	for i, t := range s {
		if at(s, i+1).is("(") && !sqlBefore[t.text] || t.is("into") {
			q.notRead("It is more than a plain SHOW.")
		}
	}
}

// sqlitePragmas only tell, as long as they are given no value.
var sqlitePragmas = map[string]bool{ // true: an argument in parentheses is the name of a table
	"table_info": true, "table_xinfo": true, "table_list": true, "index_list": true, "index_info": true, "index_xinfo": true, "foreign_key_list": true,
	"foreign_key_check": true, "database_list": false, "integrity_check": true, "quick_check": true, "page_count": false, "page_size": false,
	"freelist_count": false, "encoding": false, "journal_mode": false, "user_version": false, "schema_version": false, "application_id": false,
	"compile_options": false, "collation_list": false, "function_list": false, "module_list": false, "pragma_list": false, "data_version": false,
	"foreign_keys": false, "busy_timeout": false, "synchronous": false, "auto_vacuum": false, "cache_size": false,
}

func (q *sqlJudge) pragma(s []sqlToken) {
	if len(s) == 0 || s[0].kind != sqlWord {
		q.notRead("The gate does not understand this pragma.")
		return
	}
	named, known := sqlitePragmas[s[0].text]
	switch {
	case s[0].text == "writable_schema" || s[0].text == "trusted_schema":
		q.raise(CriticalRed, "database.schema.unlock", "Open the structure of the database to direct changes", "It can break the database.")
	case !known || len(s) > 1 && !named || slices.ContainsFunc(s, func(t sqlToken) bool { return t.is("=") || t.is(".") }):
		q.raise(Red, "database.setting.change", "Change a setting of the database", "It may change more than this session.")
	}
}

func hasSQLWord(s []sqlToken, w string) bool {
	return slices.ContainsFunc(s, func(t sqlToken) bool { return t.kind == sqlWord && t.text == w })
}
