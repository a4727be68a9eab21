package policy_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"
	"pgregory.net/rapid"

	"gatehouse/agentd/policy"
)

// sqlPieces are what queries are put together from: words that begin, what may stand behind, comments, quotes.
var sqlPieces = []string{
	"SELECT", "select *", "FROM t", "FROM u", "WHERE a = 1", "ORDER BY a", "LIMIT 2", "1", "a", "'x'", "count(*)", "max(a)", "(", ")", ",", ";", "--", "-- x\n", "/*", "*/", "/*!", "'", "\"", "`", "[", "]",
	"DELETE FROM t", "INSERT INTO t VALUES (9)", "UPDATE t SET a = 7", "DROP TABLE u", "REPLACE INTO t VALUES (1)", "WITH x AS (", "AS (SELECT 1)", "UNION ALL SELECT 1", "RETURNING *", "EXPLAIN", "EXPLAIN QUERY PLAN",
	"PRAGMA user_version = 5", "PRAGMA user_version", "PRAGMA table_info(t)", "PRAGMA journal_mode = MEMORY", "PRAGMA foreign_keys(1)", "ATTACH ':memory:' AS z", "VACUUM", "BEGIN", "COMMIT", "CREATE TABLE v (a)", "CREATE TEMP TABLE w (a)",
	"VALUES (1)", "\n", "\t", "\\", "#", "$x", "?1", "@a", "x'00'", "INTO v", "ANALYZE", "REINDEX", "ALTER TABLE t ADD b", "AS", "IN (1, 2)", "EXISTS (SELECT 1)", "random()", "load_extension('x')",
}

// TestSQL_greenChangesNothing puts queries together at random and runs those that are green on a real SQLite: the
// database is the same byte by byte afterwards, in what it holds, how it is built and how it is set.
func TestSQL_greenChangesNothing(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "real.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2); CREATE TABLE u (b)"); err != nil {
		t.Fatal(err)
	}
	before := sqlState(t, db)
	ran := 0
	try := func(query string) {
		if policy.SQL(policy.SQLArgs{Query: query, Engine: "sqlite"}).Tier != policy.Green {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if rows, err := db.QueryContext(ctx, query); err == nil {
			for rows.Next() { // to the end: it changes as it goes
			}
			_ = rows.Close()
			ran++
		}
		if after := sqlState(t, db); after != before {
			t.Fatalf("%q is green and changed the database\nfrom %s\nto   %s", query, before, after)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom(sqlPieces), 1, 7).Draw(t, "query")
		try(strings.Join(pieces, " "))
		try("SELECT a FROM t " + strings.Join(pieces, " "))
		try("SELECT 1 " + strings.Join(pieces, ""))
	})
	for _, p := range sqlPieces {
		for _, q := range sqlPieces {
			try("SELECT a FROM t " + p + " " + q)
			try("SELECT " + p + ", " + q + " FROM t")
			try(p + " " + q)
			try("WITH x AS (SELECT 1) SELECT * FROM x " + p + q)
		}
	}
	for _, c := range calls(t) {
		if query, ok := strings.CutPrefix(c.text[strings.IndexByte(c.text, ' ')+1:], "sql_query sqlite:"); ok {
			try(query)
		}
	}
	if ran < 100 {
		t.Errorf("only %d queries really ran", ran)
	}
}

// sqlState is all that a query could change.
func sqlState(t *testing.T, db *sql.DB) string {
	t.Helper()
	var b strings.Builder
	for _, q := range []string{
		"SELECT group_concat(a) FROM t", "SELECT count(*) FROM u", "SELECT group_concat(name || sql) FROM sqlite_master", "SELECT count(*) FROM sqlite_temp_master",
		"PRAGMA user_version", "PRAGMA schema_version", "PRAGMA journal_mode", "PRAGMA foreign_keys", "SELECT count(*) FROM pragma_database_list", "SELECT total_changes()",
	} {
		var v any
		if err := db.QueryRow(q).Scan(&v); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		fmt.Fprintf(&b, "%v|", v)
	}
	return b.String()
}
