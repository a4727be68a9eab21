package taint_test

import (
	"database/sql"
	"strconv"
	"testing"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/taint"
)

// TestSources: a source counts once, and a run names a bounded number.
func TestSources(t *testing.T) {
	t.Parallel()
	var all taint.Sources
	added := 0
	for i := range 200 {
		if all.Add(policy.Source{Source: "mail", ID: strconv.Itoa(i / 2)}) {
			added++
		}
	}
	if added != 50 || len(all) != 50 || len(all.With(letter)) != 50 || len(all[:1].With(letter)) != 2 {
		t.Errorf("added %d, %d with", added, len(all[:1].With(letter)))
	}
}

// TestRecord: what is on record of a run is read back, once.
func TestRecord(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for range 2 {
		f.write(t, func(tx *sql.Tx) error { return taint.Record(f.db, tx, "r1", letter[0], time.Now()) })
	}
	if got, err := taint.OfRun(t.Context(), f.db, "r1"); err != nil || len(got) != 1 || got[0] != letter[0] {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := taint.OfRun(t.Context(), f.db, "r2"); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
