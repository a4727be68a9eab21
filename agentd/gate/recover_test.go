package gate_test

import (
	"database/sql"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/wire"
)

// TestDo_startedIsNotRepeated: a call whose start is on record and whose end is not may have been done. Do does not run it
// again, even when Recover has not ended it.
func TestDo_startedIsNotRepeated(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	c := s.bench.call("act", "green", "")
	s.do(c)
	left := s.started(c)
	s.wantState(s.do(left), wire.ToolUnknown)
	s.wantRan(left.ID, 0)
	s.wantUnknown(c.RunID, 1)
}

// TestLeft_byIndex: what has not ended is found without going through every call there ever was, however many there are.
func TestLeft_byIndex(t *testing.T) {
	t.Parallel()
	b := open(t)
	for range 3 {
		b.do(b.call("act", "green", ""))
	}
	for _, known := range []bool{false, true} { // to SQLite, how many there are
		if known {
			err := b.DB.Write(t.Context(), func(tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), "ANALYZE")
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, where := range gate.WhereNotEnded {
			if how := b.plan("SELECT body FROM gate_calls WHERE " + where + " ORDER BY created_at, id"); !strings.Contains(how, "gate_calls_open") {
				t.Errorf("counted %t: %s: %s", known, where, how)
			}
		}
	}
}

// plan says how SQLite goes about a query.
func (b *bench) plan(query string) (how string) {
	b.t.Helper()
	rows, err := b.DB.Read().QueryContext(b.t.Context(), "EXPLAIN QUERY PLAN "+query)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			b.t.Fatal(err)
		}
		how += step + "; "
	}
	if err := rows.Err(); err != nil {
		b.t.Fatal(err)
	}
	return how
}
