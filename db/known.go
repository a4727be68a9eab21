package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
)

// Known writes out what the tables of the hub hold about one customer, for one of its people. It makes one file at a time.
type Known struct {
	DB *DB

	one sync.Mutex
}

// knownPart is what one table says about a customer.
type knownPart struct {
	name    string // of the part, in words for people
	table   string
	of      string // which rows of t are the customer's; ? is the customer
	order   string
	words   []knownWord
	without string // columns that are not told: secrets, and what says nothing to a person
}

// knownWord is a column in words for people.
type knownWord struct {
	word, column string
	says         string // the SQL of its value; empty: the column as it is
}

// Write writes the file: an object of parts, each a list, and what is left out, said in the reader's language. What is read is one
// state of the database.
//
// That somebody asked for it is on record before anything is read.
func (k *Known) Write(ctx context.Context, e audit.Entry, say func(string) string, w io.Writer) error {
	k.one.Lock()
	defer k.one.Unlock()
	if err := (&Trail{DB: k.DB}).Add(ctx, e); err != nil {
		return fmt.Errorf("what is known: %w", err)
	}
	oneState := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	return k.DB.RunInTx(ctx, oneState, func(ctx context.Context, tx bun.Tx) error {
		if _, err := fmt.Fprintf(w, "{\n\"made\": %q", e.At.UTC().Format(time.RFC3339)); err != nil {
			return err
		}
		for _, p := range knownParts {
			if _, err := fmt.Fprintf(w, ",\n%q: [", p.name); err != nil {
				return err
			}
			if err := p.write(ctx, tx, e, w); err != nil {
				return fmt.Errorf("what is known: %s: %w", p.name, err)
			}
			if _, err := io.WriteString(w, "]"); err != nil {
				return err
			}
		}
		why := map[string]string{}
		for table, text := range knownLeft {
			why[table] = say(text)
		}
		left, err := json.MarshalIndent(why, "", "  ")
		if err != nil {
			return fmt.Errorf("what is left out: %w", err)
		}
		_, err = fmt.Fprintf(w, ",\n\"not in this file\": %s\n}\n", left)
		return err
	})
}

// write writes the rows of a part, one a line.
func (p knownPart) write(ctx context.Context, tx bun.Tx, e audit.Entry, w io.Writer) error {
	whose := e.CustomerID
	if p.of == ofReader {
		whose = e.By.ID
	}
	rows, err := tx.QueryContext(ctx, p.query(), whose)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err tells
	between := "\n"
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err
		}
		if _, err := io.WriteString(w, between+line); err != nil {
			return err
		}
		between = ",\n"
	}
	return rows.Err()
}

// query makes an object of each row. Everything in it stands in this file.
func (p knownPart) query() string {
	pairs := make([]string, 0, len(p.words))
	for _, w := range p.words {
		says := w.says
		if says == "" {
			says = "t." + w.column
		}
		pairs = append(pairs, "'"+w.word+"', "+says)
	}
	return "SELECT json_build_object(" + strings.Join(pairs, ", ") + ")::text FROM " + p.table + " t WHERE " + p.of + " ORDER BY " + p.order
}
