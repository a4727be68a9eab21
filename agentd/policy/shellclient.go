package policy

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// client is how the client of a database is called: the flags that change nothing but who signs in where and how the
// answer looks, and those behind which a statement stands.
type client struct {
	engine string
	flags  string // "=" behind one: it takes a value
	runs   []string
	names  int  // operands that are names: database, user
	file   bool // the first operand is a file
	rest   bool // all further operands are statements
}

var clients = map[string]client{
	"psql":    {engine: postgres, flags: "-d= --dbname= -U= --username= -h= --host= -p= --port= -t --tuples-only -A --no-align -x --expanded -q --quiet -X --no-psqlrc -w --no-password --csv -H --html -l --list -F= -R= -1 -E -e -a", runs: []string{"-c", "--command"}, names: 2},
	"mysql":   {engine: mysql, flags: "-u= --user= -h= --host= -P= --port= -D= --database= -N --skip-column-names -B --batch -t --table -s --silent -r --raw -E --vertical -H --html -X --xml -p --password --protocol=", runs: []string{"-e", "--execute"}, names: 1},
	"sqlite3": {engine: sqlite, flags: "-readonly -header -noheader -csv -json -line -column -box -table -markdown -list -html -quote -batch -bail -separator= -nullvalue=", file: true, rest: true},
	"mongosh": {engine: mongodb, flags: "--quiet --norc --json --host= --port=", runs: []string{"--eval"}, names: 1},
}

func init() {
	clients["mariadb"], clients["mongo"] = clients["mysql"], clients["mongosh"]
}

// plainDatabase is the name of a database or user, and no address of one elsewhere.
var plainDatabase = lazyre.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$`)

// localHost are hosts that are this machine, and the folders in which servers of it put their sockets. Any other name
// would be looked up, and the question alone tells its reader what it spells.
var localHost = []string{"localhost", "127.0.0.1", "::1", "/run/postgresql", "/var/run/postgresql"}

// pgIsReady judges pg_isready, which takes the flags of psql that say where the server is, and no operand.
func (j *judge) pgIsReady(args []arg) {
	c := client{engine: postgres, flags: "-d= --dbname= -U= --username= -h= --host= -p= --port= -t= --timeout= -q --quiet"}
	if _, _, ok := c.statements(j, args); !ok {
		j.raise(Red, "It may ask a server elsewhere.")
	}
}

// databaseClient judges a client by the statements on its line. Without one, or with words that are not understood,
// nobody knows what it would run.
func databaseClient(prog string) func(*judge, []arg) {
	return func(j *judge, args []arg) {
		c := clients[prog]
		for _, a := range args {
			if !slices.Contains(localHost, a.text) {
				j.loose(a)
			}
		}
		if j.looks(prog, args) {
			return
		}
		statements, lists, ok := c.statements(j, args)
		if !ok || len(statements) == 0 && !lists {
			j.raise(CriticalRed, "The gate does not know what it would run in the database.")
		}
		database := c.database(args)
		for _, s := range statements {
			tier, why := c.statement(s, &database)
			j.raise(tier, why)
		}
		if c.file && len(args) > 0 && j.tier.Rank() > Green.Rank() {
			j.writesFile(args)
		}
	}
}

// writesFile notes the file of a database that is changed.
func (j *judge) writesFile(args []arg) {
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") {
			j.path(a, true, nil)
			return
		}
	}
}

// statements are what the client would run, whether it only lists the databases, and whether every word of it is
// understood.
func (c client) statements(j *judge, args []arg) (out []string, lists, ok bool) {
	ok = true
	operands := 0
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, value, has := strings.Cut(a.text, "=")
		takes, known := flagIn(c.flags, a.text)
		switch {
		case !a.fixed || a.glob:
			ok = false
		case slices.Contains(c.runs, name):
			if !has && i+1 < len(args) {
				i++
				value = args[i].text
				ok = ok && args[i].fixed
			}
			out = append(out, value)
		case c.joined(a.text):
			if i++; i < len(args) {
				ok = ok && args[i].fixed
				out = append(out, args[i].text)
			}
		case strings.HasPrefix(a.text, "-"):
			ok = ok && (known || joinedFlags(c.flags, a.text))
			lists = lists || c.engine == postgres && (a.text == "-l" || a.text == "--list")
			switch {
			case takes && i+1 < len(args):
				i++
				value = args[i].text
				ok = ok && args[i].fixed
			case known && len(a.text) > 2 && a.text[1] != '-' && !slices.Contains(strings.Fields(c.flags), a.text):
				name, value = a.text[:2], a.text[2:] // -hlocalhost
			}
			ok = ok && c.value(name, value)
		default:
			operands++
			out, ok = c.operand(j, a, operands, out, ok)
		}
	}
	return out, lists, ok
}

// joined says whether a word is flags of one letter, the last of which asks for a statement: -Atc.
func (c client) joined(flag string) bool {
	n := len(flag) - 1
	return n > 1 && slices.Contains(c.runs, "-"+flag[n:]) && (joinedFlags(c.flags, flag[:n]) || len(flag) == 3 && plainFlag(c.flags, flag[:2]))
}

// database is the one of sqlAccounts that a client of MySQL is told to use, if it may be one.
func (c client) database(args []arg) string {
	for i, a := range args {
		name := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(a.text, "--database="), "-D"), "="))
		if _, known := sqlAccounts[name]; known && c.engine == mysql && (i == 0 || args[i-1].text != "-u" && args[i-1].text != "--user") {
			return name
		}
	}
	return ""
}

func (c client) operand(j *judge, a arg, n int, out []string, ok bool) ([]string, bool) {
	switch {
	case c.file && n == 1:
		j.path(a, false, nil)
		ok = ok && !strings.HasPrefix(a.text, "file:") // an address, with settings and ways of its own to write a name
	case c.rest:
		out = append(out, a.text)
	default:
		ok = ok && n <= c.names && plainDatabase.MatchString(a.text)
	}
	return out, ok
}

// value judges the value of a flag: it must not lead elsewhere.
func (c client) value(flag, v string) bool {
	switch flag {
	case "-h", "--host":
		return slices.Contains(localHost, v)
	case "-d", "--dbname", "-D", "--database", "-U", "--username", "-u", "--user":
		return plainDatabase.MatchString(v)
	}
	return len(v) <= 64 && !strings.ContainsAny(v, "/\\")
}

// clientTells are commands of the clients themselves that only tell.
var clientTells = map[string]*lazyre.Regexp{
	postgres: lazyre.MustCompile(`^\\(?:d[a-zA-Z]{0,3}\+?|l\+?|conninfo|encoding|x)(?: [A-Za-z0-9_.*"]+)?$`),
	sqlite:   lazyre.MustCompile(`^\.(?:tables|schema|databases|indexes|indices|dbinfo|fullschema|headers on|headers off|mode [a-z]+|stats|show|version)(?: [A-Za-z0-9_%]+)?$`),
}

// statement judges one statement on the line of a client.
func (c client) statement(s string, database *string) (Tier, string) {
	s = strings.TrimSpace(s)
	if c.engine == mysql {
		s = strings.TrimSuffix(s, `\G`) // another way to end a statement
	}
	if tells := clientTells[c.engine]; tells != nil && tells.MatchString(s) {
		return Green, ""
	}
	if strings.HasPrefix(s, "\\") || strings.HasPrefix(s, ".") || strings.Contains(s, "\\!") || clientRuns.MatchString(s) {
		return CriticalRed, "It is a command of the client, which can run programs and write files."
	}
	if c.engine != mongodb {
		return sqlScript(s, c.engine, database)
	}
	q := SQL(SQLArgs{Query: s, Engine: c.engine})
	return q.Tier, q.Why
}

// clientRuns are commands that clients know besides SQL.
var clientRuns = lazyre.MustCompile(`(?im)^\s*(?:system|source|tee|pager|edit|delimiter|connect|charset|notee|nopager|warnings|\\.|\.[a-z]+)\b|\\[a-zA-Z!.|]`)
