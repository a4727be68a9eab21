package leakscan

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Dir looks through every regular file under a folder, and through the names of all that lies there. A file that is
// gone when its turn comes is no error; one that cannot be read is.
func (s *Scanner) Dir(root string) ([]Leak, error) {
	var leaks []Leak
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return gone(err)
		}
		leaks = append(leaks, s.Bytes("name of "+path, []byte(path))...)
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return gone(err)
		}
		leaks = append(leaks, s.Bytes(path, b)...)
		return nil
	})
	return leaks, err
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// The tables that hold data, by kind of database.
const (
	tablesOfSQLite   = `SELECT '', name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	tablesOfPostgres = `SELECT table_schema, table_name FROM information_schema.tables
		WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`
)

// SQLite looks through every value of every table.
func (s *Scanner) SQLite(ctx context.Context, db *sql.DB) ([]Leak, error) {
	return s.tables(ctx, db, tablesOfSQLite)
}

// Postgres looks through every value of every table of every schema.
func (s *Scanner) Postgres(ctx context.Context, db *sql.DB) ([]Leak, error) {
	return s.tables(ctx, db, tablesOfPostgres)
}

func (s *Scanner) tables(ctx context.Context, db *sql.DB, list string) ([]Leak, error) {
	names, err := values(ctx, db, list)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	var leaks []Leak
	for _, n := range names {
		table := quotedName(asText(n[1]))
		if schema := asText(n[0]); schema != "" {
			table = quotedName(schema) + "." + table
		}
		rows, err := values(ctx, db, "SELECT * FROM "+table)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", table, err)
		}
		for i, row := range rows {
			for _, v := range row {
				leaks = append(leaks, s.Bytes(fmt.Sprintf("%s row %d", table, i+1), []byte(asText(v)))...)
			}
		}
	}
	return leaks, nil
}

func quotedName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// asText is a value of a database as text.
func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// values reads all rows of a query.
func values(ctx context.Context, db *sql.DB, query string) (all [][]any, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
