package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/wasilibs/go-pgquery/parser" // in tests alone: it takes a second and 265 MB to start
	"pgregory.net/rapid"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/seeded"
	"gatehouse/db/dbtest"
)

// queryPieces are what queries are put together from: what reads, what writes within something that reads, and what two
// readers of SQL could take for different things. Not among them is what no text shows: a function for the rows of a table,
// called as if it were a column, and one behind a view.
var queryPieces = []string{
	"SELECT", "select *", "FROM t", "FROM u", "WHERE a = 1", "ORDER BY a", "LIMIT 2", "1", "a", "'x'", "count(*)", "max(a)", "(", ")", ",", ";", "--", "-- x\n", "/*", "*/", "/* /* */ */", "'", "\"", "$$", "$x$",
	"DELETE FROM t", "INSERT INTO t VALUES (9)", "UPDATE t SET a = 7", "DROP TABLE u", "TRUNCATE u", "WITH x AS (", "AS (SELECT 1)", "UNION ALL SELECT 1", "RETURNING *", "EXPLAIN", "EXPLAIN ANALYZE", "(ANALYZE, FORMAT json)",
	"FOR UPDATE", "FOR KEY SHARE", "INTO v", "INTO TEMP v", "TABLE t", "VALUES (1)", "VALUES (nextval('s'))", "LATERAL (SELECT 1) l", "nextval('s')", "setval('s', 9)", "writes()", "public.writes()", "\"writes\"()",
	"pg_notify('a', 'b')", "set_config('work_mem', '1MB', false)", "lo_create(0)", "lo_import('/etc/hostname')", "pg_advisory_lock(1)", "pg_read_file('PG_VERSION')", "query_to_xml('delete from t', true, true, '')", "pg_sleep(0)",
	"COPY t TO STDOUT", "COPY u FROM STDIN", "DO 'begin delete from t; end'", "CALL writing()", "LISTEN a", "PREPARE p AS DELETE FROM t", "EXECUTE p", "SET work_mem = '1MB'", "SHOW work_mem", "BEGIN", "COMMIT", "LOCK t", "VACUUM", "REFRESH MATERIALIZED VIEW m",
	"CREATE TABLE v ()", "U&'\\0061'", "U&\"t\"", "E'\\''", "B'1'", "\n", "\t", "::text", "::regclass", "OPERATOR(public.###) 1", "### 1", "x'00'", "?1", "$1", "IN (1, 2)", "EXISTS (SELECT 1)",
}

// world is what queries could change: rows, sequences, and whatever a function of the users does.
const world = `CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1), (2); CREATE TABLE u (b text); CREATE SEQUENCE s;
CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS 'INSERT INTO u VALUES (1) RETURNING 1';
CREATE FUNCTION written(int, int) RETURNS int LANGUAGE sql AS 'INSERT INTO u VALUES (1) RETURNING 1';
CREATE OPERATOR ### (LEFTARG = int, RIGHTARG = int, FUNCTION = written);
CREATE PROCEDURE writing() LANGUAGE sql AS 'INSERT INTO u VALUES (1)'; CREATE MATERIALIZED VIEW m AS SELECT count(*) FROM t`

// sameWorld is one line of all of it, and of what a session can be left with.
const sameWorld = `SELECT concat_ws('|', (SELECT string_agg(a::text, ',' ORDER BY a) FROM t), (SELECT count(*) FROM u), (SELECT last_value::text || is_called FROM s),
	(SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_largeobject_metadata),
	(SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database WHERE locktype = 'advisory' AND datname = current_database()),
	(SELECT count(*) FROM pg_listening_channels()), (SELECT count(*) FROM pg_prepared_statements), current_setting('work_mem'), (SELECT count(*) FROM m), current_user)`

type classified struct {
	t    *testing.T
	conn *pgx.Conn
	same string
	ran  int
	read int // by the second reader
}

// try runs a query that is green: Postgres must find nothing in it that writes, and everything must be as it was.
func (c *classified) try(query string) {
	if policy.SQL(policy.SQLArgs{Query: query, Engine: "postgres"}).Tier != policy.Green {
		return
	}
	c.parse(query)
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	c.exec(ctx, "BEGIN READ ONLY")
	_, err := c.conn.Exec(ctx, query, pgx.QueryExecModeSimpleProtocol)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "25006" {
		c.t.Fatalf("%q is green, and Postgres says that it writes: %v", query, err)
	}
	c.exec(ctx, "ROLLBACK")
	if err != nil {
		return
	}
	c.ran++
	c.exec(ctx, query)
	if now := c.world(ctx); now != c.same {
		c.t.Fatalf("%q is green and changed the database\nfrom %s\nto   %s", query, c.same, now)
	}
}

// parse hears a second reader, Postgres' own parser: a query that is green is one statement, which reads, and has no place
// in it that writes or locks. What it cannot parse no Postgres runs.
func (c *classified) parse(query string) {
	tree, err := parser.ParseToJSON(query)
	if err != nil {
		return
	}
	c.read++
	var all struct {
		Stmts []struct{ Stmt map[string]any }
	}
	must(c.t, json.Unmarshal([]byte(tree), &all))
	if len(all.Stmts) != 1 {
		c.t.Fatalf("%q is green, and is %d statements", query, len(all.Stmts))
	}
	if odd := writesIn(all.Stmts[0].Stmt); odd != "" {
		c.t.Fatalf("%q is green, and holds %s: %s", query, odd, tree)
	}
}

// writesIn is the first part of a parsed query that does more than read.
func writesIn(node any) string {
	switch n := node.(type) {
	case map[string]any:
		for name, inner := range n {
			statement := strings.HasSuffix(name, "Stmt") && name != "SelectStmt" && name != "ExplainStmt" && name != "VariableShowStmt"
			if statement || name == "intoClause" || name == "lockingClause" {
				return name
			}
			if odd := writesIn(inner); odd != "" {
				return odd
			}
		}
	case []any:
		for _, inner := range n {
			if odd := writesIn(inner); odd != "" {
				return odd
			}
		}
	}
	return ""
}

// exec sends a text as it stands, with all statements that Postgres sees in it.
func (c *classified) exec(ctx context.Context, query string) {
	if _, err := c.conn.Exec(ctx, query, pgx.QueryExecModeSimpleProtocol); err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
}

func (c *classified) world(ctx context.Context) (all string) {
	must(c.t, c.conn.QueryRow(ctx, sameWorld, pgx.QueryExecModeSimpleProtocol).Scan(&all))
	return all
}

func newClassified(t *testing.T) *classified {
	conn, err := pgx.Connect(t.Context(), dbtest.NewDSN(t))
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close(context.WithoutCancel(t.Context()))) })
	c := &classified{t: t, conn: conn}
	c.exec(t.Context(), world)
	c.same = c.world(t.Context())
	return c
}

// TestClassified_greenWritesNothing: the gate lets agents run some queries unasked. Put together at random, of parts that
// write among others, none of those writes anything in a real Postgres, with all rights that there are. Of the pairs one of six is
// tried, in the soak all.
func TestClassified_greenWritesNothing(t *testing.T) {
	t.Parallel()
	c := newClassified(t)
	var pairs []string
	for _, p := range queryPieces {
		c.try(p)
		for _, q := range queryPieces {
			for _, before := range []string{"", "SELECT a FROM t ", "SELECT ", "WITH x AS (SELECT 1) SELECT * FROM x "} {
				pairs = append(pairs, before+p+" "+q)
			}
		}
	}
	for _, query := range seeded.Sample(pairs, 6) {
		c.try(query)
	}
	rapid.Check(t, func(t *rapid.T) {
		pieces := strings.Join(rapid.SliceOfN(rapid.SampledFrom(queryPieces), 3, 7).Draw(t, "query"), " ")
		c.try(pieces)
		c.try("SELECT a FROM t " + pieces)
	})
	corpus, err := os.ReadFile("../agentd/policy/testdata/calls.txt")
	must(t, err)
	for line := range strings.Lines(string(corpus)) {
		if _, query, ok := strings.Cut(strings.TrimSpace(line), "sql_query postgres:"); ok {
			c.try(query)
		}
	}
	if c.ran < 100 || c.read < c.ran {
		t.Errorf("only %d queries really ran, and %d were parsed", c.ran, c.read)
	}
	t.Logf("%d queries ran, %d were parsed", c.ran, c.read)
}

// TestClassified_parsed puts many more together than a database could be asked in that time, of parts that readers of SQL
// stumble over. What is green is one statement that reads, whether its tables are there or not.
func TestClassified_parsed(t *testing.T) {
	t.Parallel()
	c, n, r := &classified{t: t}, 2_000, rand.New(rand.NewPCG(1, 1))
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		n, r = 200_000, rand.New(rand.NewPCG(rand.Uint64(), 1))
	}
	odd := slices.Concat(queryPieces, []string{
		"'a''b'", `'\'`, `E'\\'`, `e'\'' ; DELETE FROM t --'`, "$a$;$a$", "$$;DELETE FROM t$$", "$1$", "/*!1*/", "/**/", "/*/**/*/", "--\r", "\r", "\u00a0", "\ufeff", "N'x'", "U&'\\0027'", "UESCAPE '!'", `"a""b"`, "[1]", "a.b.c", "::", ":=", "=>",
		"FROM ONLY t", "JOIN x USING (a)", "WITH RECURSIVE x AS (SELECT 1)", "AS MATERIALIZED (DELETE FROM t RETURNING a)", "FETCH FIRST 1 ROW ONLY", "FOR NO KEY UPDATE NOWAIT", "UNION", "EXCEPT", "OFFSET 1", "CASE WHEN a THEN", "END", "OVER (", "FILTER (WHERE a)", "ARRAY[", "]", "ROW(", "INTO",
	})
	for range n {
		var b strings.Builder
		b.WriteString([]string{"", "SELECT a FROM t ", "SELECT ", "EXPLAIN SELECT ", "WITH x AS (SELECT 1) SELECT * FROM x "}[r.IntN(5)])
		for range 1 + r.IntN(5) {
			b.WriteString(odd[r.IntN(len(odd))] + []string{" ", " ", "", "\n"}[r.IntN(4)])
		}
		if policy.SQL(policy.SQLArgs{Query: b.String(), Engine: "postgres"}).Tier == policy.Green {
			c.parse(b.String())
		}
	}
	if c.read < n/200 {
		t.Errorf("only %d of %d were green and could be parsed", c.read, n)
	}
	t.Logf("%d of %d were green and could be parsed", c.read, n)
}

// knownVolatile are functions of which Postgres says no more than that their answer may change at any time: they do nothing
// but answer.
var knownVolatile = strings.Fields(`random gen_random_uuid pg_database_size pg_relation_size pg_table_size pg_indexes_size pg_total_relation_size
	pg_current_wal_lsn pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_is_in_recovery pg_blocking_pids`)

// TestClassified_functions holds each function that Postgres has against what the gate thinks of it.
func TestClassified_functions(t *testing.T) {
	t.Parallel()
	c := newClassified(t)
	rows, err := c.conn.Query(t.Context(), "SELECT proname, bool_or(provolatile = 'v') FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace GROUP BY 1")
	must(t, err)
	green := 0
	var name string
	var volatile bool
	_, err = pgx.ForEachRow(rows, []any{&name, &volatile}, func() error {
		if policy.SQL(policy.SQLArgs{Query: "SELECT " + name + "(a) FROM t", Engine: "postgres"}).Tier != policy.Green {
			return nil
		}
		if green++; volatile && !slices.Contains(knownVolatile, name) {
			t.Errorf("%s is green, and Postgres does not promise that it changes nothing", name)
		}
		return nil
	})
	must(t, err)
	if green < 200 {
		t.Errorf("only %d functions are green", green)
	}
}

// TestClassified_operators: the gate knows every operator that Postgres brings along. All others are functions of somebody.
func TestClassified_operators(t *testing.T) {
	t.Parallel()
	c := newClassified(t)
	rows, err := c.conn.Query(t.Context(), "SELECT DISTINCT oprname FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace")
	must(t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	for _, op := range all {
		if tier := policy.SQL(policy.SQLArgs{Query: "SELECT a " + op + " b FROM t", Engine: "postgres"}).Tier; tier != policy.Green {
			t.Errorf("%s is %s", op, tier)
		}
	}
	for _, op := range []string{"###", "=-@", "@@@@", "|+", "~-", "<=|"} {
		if tier := policy.SQL(policy.SQLArgs{Query: "SELECT a " + op + "1 FROM t", Engine: "postgres"}).Tier; tier == policy.Green {
			t.Errorf("%s is %s", op, tier)
		}
	}
	if len(all) < 60 {
		t.Errorf("only %d operators", len(all))
	}
}
