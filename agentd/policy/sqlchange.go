package policy

import (
	"slices"
	"strings"
)

// sqlVerb is what a statement does that begins with a word.
type sqlVerb struct {
	tier   Tier
	action string
	does   string
}

// sqlVerbs are statements by their first word. What is not here is critical: every engine has its own.
var sqlVerbs = map[string]sqlVerb{
	"insert":   {Yellow, "database.row.insert", "Add rows"},
	"comment":  {Yellow, "database.table.comment", "Describe a table"},
	"analyze":  {Yellow, "database.table.analyze", "Count anew for the planner"},
	"analyse":  {Yellow, "database.table.analyze", "Count anew for the planner"},
	"refresh":  {Yellow, "database.view.refresh", "Refresh a view"},
	"reindex":  {Yellow, "database.index.rebuild", "Rebuild an index"},
	"optimize": {Yellow, "database.table.optimize", "Rearrange a table"},
	"checksum": {Yellow, "database.table.checksum", "Check a table"},
	"vacuum":   {Red, "database.table.vacuum", "Rewrite tables"},
	"cluster":  {Red, "database.table.vacuum", "Rewrite tables"},
	"repair":   {Red, "database.table.repair", "Repair a table"},
	"update":   {Red, "database.row.update", "Change rows"},
	"delete":   {Red, "database.row.delete", "Delete rows"},
	"merge":    {Red, "database.row.update", "Change rows"},
	"replace":  {Red, "database.row.update", "Replace rows"},
	"truncate": {Red, "database.table.empty", "Empty a table"},
	"alter":    {Red, "database.table.alter", "Change a table"},
	"drop":     {Red, "database.table.drop", "Drop a table"},
	"rename":   {Red, "database.table.rename", "Rename a table"},
	"create":   {Yellow, "database.table.create", "Create a table"},
	"copy":     {Red, "database.row.copy", "Copy rows in or out"},
	"begin":    {Red, "database.transaction.begin", "Begin a transaction"},
	"start":    {Red, "database.transaction.begin", "Begin a transaction"},
	"commit":   {Red, "database.transaction.end", "End a transaction"},
	"end":      {Red, "database.transaction.end", "End a transaction"},
	"rollback": {Red, "database.transaction.end", "End a transaction"},
	"abort":    {Red, "database.transaction.end", "End a transaction"},
	"set":      {Red, "database.setting.change", "Change a setting"},
	"reset":    {Red, "database.setting.change", "Change a setting"},
	"use":      {Red, "database.setting.change", "Change to another database"},
	"lock":     {Red, "database.table.lock", "Lock a table"},
	"unlock":   {Red, "database.table.lock", "Unlock tables"},
	"call":     {Red, "database.procedure.run", "Run a procedure"},
	"prepare":  {Red, "database.procedure.run", "Prepare a statement"},
	"execute":  {Red, "database.procedure.run", "Run a prepared statement"},
	"notify":   {Red, "database.channel.notify", "Notify listeners"},
	"kill":     {Red, "database.session.end", "End a session"},

	"do":         {CriticalRed, "database.code.run", "Run code in the database"},
	"grant":      {CriticalRed, "database.right.grant", "Give rights"},
	"revoke":     {CriticalRed, "database.right.revoke", "Take rights"},
	"reassign":   {CriticalRed, "database.right.grant", "Give what one owns to another"},
	"security":   {CriticalRed, "database.right.grant", "Change labels of security"},
	"attach":     {CriticalRed, "database.file.attach", "Open another file as a database"},
	"purge":      {CriticalRed, "database.log.purge", "Delete logs of the database"},
	"shutdown":   {CriticalRed, "database.server.stop", "Stop the database"},
	"flush":      {CriticalRed, "database.server.flush", "Reload parts of the database"},
	"change":     {CriticalRed, "database.replica.change", "Change replication"},
	"checkpoint": {Red, "database.server.checkpoint", "Write a checkpoint"},
	"load":       {CriticalRed, "database.file.load", "Load a file into the database"},
	"import":     {CriticalRed, "database.file.load", "Load a file into the database"},
	"install":    {Forbidden, "database.code.install", "Load code into the database"},
}

// changing judges a statement that begins with anything but a word of reading.
func (q *sqlJudge) changing(s []sqlToken) {
	v, ok := sqlVerbs[s[0].text]
	switch s[0].text {
	case "use":
		q.database = strings.ToLower(at(s, 1).text)
	case "analyze", "analyse": // MariaDB runs what stands behind it
		if i := slices.IndexFunc(s[1:], func(t sqlToken) bool { return t.kind == sqlWord && sqlBegins(t.text) }); i >= 0 {
			q.statement(s[1+i:])
		}
	}
	if !ok {
		q.raise(CriticalRed, "database.query.run", "Run", "The gate does not understand this statement.")
		return
	}
	v = v.of(s, q.doubt)
	if ownTables(s) || q.database == "mysql" && s[0].text != "use" {
		v = sqlVerb{Worst(v.tier, CriticalRed), "database.catalog.change", "Change the tables that the database keeps of itself"}
	}
	q.raise(v.tier, v.action, v.does, "It is more than reading.")
	if v.tier == Yellow {
		q.inChange(s)
	}
}

// sqlOwnSchemas are those in which a database keeps its accounts, and extensions of it the jobs that they run.
var sqlOwnSchemas = words("mysql cron pgagent")

// ownTables says whether a change names a table that the database keeps of itself.
func ownTables(s []sqlToken) bool {
	for i, t := range s {
		name := strings.ToLower(t.text)
		if sqlOwnSchemas[name] && at(s, i+1).is(".") {
			return true
		}
		if (t.kind == sqlWord || t.kind == sqlName) && (strings.HasPrefix(name, "pg_") && !sqlFunctions[name] || name == "information_schema" || strings.HasPrefix(name, "sqlite_")) {
			return true
		}
	}
	return false
}

// of looks at what the verb does it to.
func (v sqlVerb) of(s []sqlToken, doubt bool) sqlVerb {
	switch s[0].text {
	case "drop", "alter", "create":
		return v.object(s, doubt)
	case "copy":
		return v.copies(s)
	case "set", "reset":
		return v.setting(s)
	case "rename":
		if hasSQLWord(s, "user") {
			return sqlVerb{CriticalRed, "database.account.change", "Rename an account"}
		}
	case "truncate":
		if hasSQLWord(s, "cascade") {
			v.tier = CriticalRed
		}
	case "vacuum":
		if hasSQLWord(s, "into") {
			return sqlVerb{CriticalRed, "database.file.write", "Write a copy of the database"}
		}
	case "load":
		if at(s, 1).kind == sqlString {
			return sqlVerb{Forbidden, "database.code.install", "Load code into the database"}
		}
	}
	return v
}

// sqlPlain are things that hold or order rows; all others are worse to create, change or drop.
var sqlPlain = words("table view index sequence type domain statistics collation conversion comment")

// sqlModifiers may stand between CREATE, ALTER or DROP and the word for the thing.
var sqlModifiers = words("or replace temp temporary unlogged global local unique concurrently materialized virtual fulltext spatial recursive online offline ignore")

// sqlNever are things that nobody may create, change or drop by an agent.
var sqlNever = words("system language plugin instance")

// object judges CREATE, ALTER and DROP by the thing they name.
func (v sqlVerb) object(s []sqlToken, doubt bool) sqlVerb {
	i, own := 1, s
	for at(s, i).kind == sqlWord && sqlModifiers[s[i].text] {
		i++
	}
	kind := at(s, i).text
	if kind == "table" && !doubt {
		own = ownWords(s)
	}
	switch {
	case at(s, i).kind != sqlWord || !sqlPlain[kind]:
		v.tier = CriticalRed
		if sqlNever[kind] {
			v.tier = Forbidden
		}
		if at(s, i).kind != sqlWord {
			kind = "object"
		}
	case s[0].text == "alter" && weakens(s), s[0].text != "drop" && (kind == "table" || kind == "sequence") && storesElsewhere(own), s[0].text == "create" && hasSQLWord(s[:i], "virtual") && !plainModule(s):
		v.tier = CriticalRed
	case s[0].text == "create" && hasSQLWord(s[:i], "replace"):
		v.tier = Red
	}
	v.action = "database." + kind + "." + s[0].text
	v.does = map[string]string{"drop": "Drop a ", "alter": "Change a ", "create": "Create a "}[s[0].text] + kind
	return v
}

// sqlStores are the engines of MySQL that keep the rows of a table in files of the database.
var sqlStores = words("innodb myisam aria memory heap archive csv rocksdb tokudb ndb ndbcluster columnstore")

// sqlReaches are those that fetch them from elsewhere.
var sqlReaches = words("federated federatedx connect spider s3 mroonga oqgraph sphinx merge mrg_myisam sequence blackhole")

// storesElsewhere says whether a table shall lie outside of the database's own folder: in other files, or on another server.
func storesElsewhere(s []sqlToken) bool {
	for i, t := range s {
		next := at(s, i+1)
		switch {
		case t.is("engine") && next.is("=") && !sqlStores[strings.ToLower(at(s, i+2).text)],
			t.is("engine") && sqlReaches[strings.ToLower(next.text)],
			(t.is("data") || t.is("index")) && next.is("directory"):
			return true
		}
	}
	return false
}

// ownWords is a statement without the query that fills the table it creates. Where it could be read in two ways, a server
// may see no query in it.
func ownWords(s []sqlToken) []sqlToken {
	depth := 0
	for i, t := range s {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case s[0].text == "create" && depth == 0 && (t.is("as") || t.is("select")) && !at(s, i-1).is("."):
			return s[:i]
		}
	}
	return s
}

// plainModule says whether a virtual table of SQLite is one for searching: those of other kinds may be made of files.
func plainModule(s []sqlToken) bool {
	from := slices.IndexFunc(s, func(t sqlToken) bool { return t.is("using") })
	return from >= 0 && sqliteModules[strings.ToLower(at(s, from+1).text)] && !hasSQLWord(s[from+1:], "using")
}

var sqliteModules = words("fts3 fts4 fts5 rtree rtree_i32")

// weakens says whether an ALTER TABLE changes who owns the table, or switches off what protects its rows.
func weakens(s []sqlToken) bool {
	for _, w := range []string{"owner", "disable", "security", "policy", "trigger", "rule", "force"} {
		if hasSQLWord(s, w) {
			return true
		}
	}
	return false
}

// copies judges COPY by where the rows go.
func (v sqlVerb) copies(s []sqlToken) sqlVerb {
	switch {
	case hasSQLWord(s, "program"):
		return sqlVerb{Forbidden, "database.program.run", "Run a program on the machine of the database"}
	case !hasSQLWord(s, "stdin") && !hasSQLWord(s, "stdout"):
		return sqlVerb{CriticalRed, "database.file.copy", "Read or write a file on the machine of the database"}
	}
	return v
}

// setting judges SET and RESET: to act as another, or to lift what holds the session to reading, is never allowed.
func (v sqlVerb) setting(s []sqlToken) sqlVerb {
	for _, w := range []string{"role", "authorization", "transaction", "characteristics", "password", "all"} {
		if hasSQLWord(s, w) {
			return sqlVerb{Forbidden, "database.account.assume", "Act as another, or lift the limits of the session"}
		}
	}
	for _, t := range s {
		if len(t.text) > 11 && t.text[:12] == "default_tran" {
			return sqlVerb{Forbidden, "database.account.assume", "Lift the limits of the session"}
		}
	}
	for _, w := range []string{"global", "persist", "master", "replica", "persist_only", "binary"} {
		if hasSQLWord(s, w) {
			return sqlVerb{CriticalRed, "database.setting.change", "Change a setting of the whole server"}
		}
	}
	return v
}

// inChange looks at what stands inside of a change that would be yellow: it may hold a worse one.
func (q *sqlJudge) inChange(s []sqlToken) {
	for i, t := range s {
		worse := sqlChanges[t.text] && t.kind == sqlWord && !at(s, i-1).is(".")
		if i > 0 && worse && s[0].text == "insert" && t.text != "do" {
			q.raise(Red, "database.row.update", "Add or change rows", "It changes rows that are there.")
		}
		if i > 0 && worse && s[0].text == "create" && (t.text == "update" || t.text == "merge") && !at(s, i-1).is("on") || t.is("replace") && at(s, i-1).is("or") {
			q.notRead("It changes rows that are there.")
		}
		if i > 0 && t.kind == sqlWord && (t.text == "delete" || t.text == "into") && s[0].text != "insert" && !at(s, i-1).is("on") {
			q.notRead("It does more than its first word says.")
		}
	}
	if q.engine == sqlite && s[0].text == "insert" && intoItself(s) {
		q.notRead("It may tell an index for searching to empty itself.")
	}
	for i, t := range s {
		if at(s, i+1).is("(") && t.kind == sqlWord && (s[0].text == "insert" && slices.ContainsFunc(s[:i], givesRows) || s[0].text == "create" && (hasSQLWord(s[:i], "select") || hasSQLWord(s[:i], "values"))) {
			q.call(s, i)
		}
	}
}

// givesRows says whether a word is one behind which the rows of an INSERT stand.
func givesRows(t sqlToken) bool {
	return t.is("select") || t.is("values") || t.is("value") || t.is("set") || t.is("table")
}

// intoItself says whether an INSERT names a column as its table: SQLite's tables for searching take what is written there
// for an order, to delete all of them for one.
func intoItself(s []sqlToken) bool {
	k := slices.IndexFunc(s, func(t sqlToken) bool { return t.is("into") }) + 1
	if at(s, k+1).is(".") {
		k += 2
	}
	from := k + 1
	if at(s, from).is("as") {
		from += 2
	}
	if !at(s, from).is("(") {
		return false
	}
	for i := from + 1; i < len(s) && !s[i].is(")"); i++ {
		if strings.EqualFold(s[i].text, s[k].text) {
			return true
		}
	}
	return false
}
