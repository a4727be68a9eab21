package db_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"gatehouse/db"
	"gatehouse/db/dbtest"
)

func files(named map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, sql := range named {
		fs[name] = &fstest.MapFile{Data: []byte(sql)}
	}
	return fs
}

// empty makes a database without any schema.
func empty(t *testing.T) string {
	t.Helper()
	dsn := dbtest.NewDSN(t)
	run(t, dsn, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	return dsn
}

func run(t *testing.T, dsn, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer func() { must(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	_, err = conn.Exec(t.Context(), sql)
	must(t, err)
}

func count(t *testing.T, dsn, sql string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer func() { must(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	must(t, conn.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

func TestMigrate_manyAtOnce(t *testing.T) {
	t.Parallel()
	dsn := empty(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := db.Migrate(t.Context(), dsn); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	must(t, db.Check(t.Context(), dsn))
	if n := count(t, dsn, "SELECT count(*) FROM orders"); n != 0 {
		t.Errorf("%d orders", n)
	}
}

func TestMigrate_forwardOnly(t *testing.T) {
	t.Parallel()
	dsn := empty(t)
	first := map[string]string{
		"0001_one.sql": "CREATE TABLE one (id int)",
		"0002_two.sql": "CREATE TABLE two (id int); INSERT INTO two VALUES (2)",
	}
	must(t, db.MigrateFiles(t.Context(), dsn, files(first)))
	must(t, db.MigrateFiles(t.Context(), dsn, files(first)))

	for _, c := range []struct {
		situation string
		files     map[string]string
		want      error
		says      []string
	}{
		{
			"an applied file was edited",
			map[string]string{"0001_one.sql": "CREATE TABLE one (id bigint)", "0002_two.sql": first["0002_two.sql"]},
			db.ErrEdited,
			[]string{"0001_one.sql"},
		},
		{"the data is newer", map[string]string{"0001_one.sql": first["0001_one.sql"]}, db.ErrNewer, []string{"0002", "0001"}},
		{"a number was taken that the data has passed", map[string]string{"0000_none.sql": "", "0001_one.sql": ""}, nil, []string{"four digits"}},
		{"two of one number", map[string]string{"0001_one.sql": "", "0001_other.sql": ""}, nil, []string{"same number"}},
		{"no number", map[string]string{"one.sql": ""}, nil, []string{"four digits"}},
	} {
		err := db.MigrateFiles(t.Context(), dsn, files(c.files))
		if err == nil {
			t.Errorf("%s: accepted", c.situation)
			continue
		}
		if c.want != nil {
			wantErr(t, err, c.want)
		}
		for _, word := range c.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v lacks %q", c.situation, err, word)
			}
		}
	}
	if n := count(t, dsn, "SELECT count(*) FROM two"); n != 1 {
		t.Errorf("%d rows: a refused migration touched the data", n)
	}
}

// TestMigrate_faulty: what a faulty file did is taken back, and the file may be put right.
func TestMigrate_faulty(t *testing.T) {
	t.Parallel()
	dsn := empty(t)
	steps := map[string]string{"0003_three.sql": "CREATE TABLE three (id int); SELECT no_such_function()"}
	if err := db.MigrateFiles(t.Context(), dsn, files(steps)); err == nil || !strings.Contains(err.Error(), "0003_three.sql") {
		t.Errorf("a faulty migration: %v", err)
	}
	if n := count(t, dsn, "SELECT count(*) FROM pg_tables WHERE tablename = 'three'"); n != 0 {
		t.Error("a faulty migration left half of itself")
	}
	steps["0003_three.sql"] = "CREATE TABLE three (id int)"
	must(t, db.MigrateFiles(t.Context(), dsn, files(steps)))
}

func TestMigrate_skippedNumber(t *testing.T) {
	t.Parallel()
	dsn := empty(t)
	steps := map[string]string{"0002_two.sql": "CREATE TABLE two (id int)"}
	must(t, db.MigrateFiles(t.Context(), dsn, files(steps)))
	steps["0001_one.sql"] = "CREATE TABLE one (id int)"
	err := db.MigrateFiles(t.Context(), dsn, files(steps))
	wantErr(t, err, db.ErrEdited)
}

func TestMigrate_newerQueue(t *testing.T) {
	t.Parallel()
	dsn := dbtest.NewDSN(t)
	run(t, dsn, "INSERT INTO river_migration (line, version) VALUES ('main', 9999)")
	for _, err := range []error{db.Migrate(t.Context(), dsn), db.Check(t.Context(), dsn)} {
		wantErr(t, err, db.ErrNewer)
		if !strings.Contains(err.Error(), "9999") {
			t.Errorf("names no version: %v", err)
		}
	}
}
