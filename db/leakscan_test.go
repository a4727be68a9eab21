package db_test

import (
	"encoding/base64"
	"math/rand/v2"
	"testing"

	"gatehouse/agentd/leakscan"
	"gatehouse/db/dbtest"
)

// TestLeakscan_postgres: the scanner that other tests trust finds what stands in any column of any table.
func TestLeakscan_postgres(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	all := leakscan.Canaries(rand.New(rand.NewPCG(1, 2)))
	s := leakscan.New(all...)
	exec := func(q string, args ...any) {
		if _, err := d.DB.ExecContext(t.Context(), q, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE SCHEMA aside`)
	exec(`CREATE TABLE aside."odd name" (j jsonb, b bytea, t text[])`)
	if leaks, err := s.Postgres(t.Context(), d.DB.DB); err != nil || len(leaks) != 0 {
		t.Fatalf("%v, %v", leaks, err)
	}
	exec(`INSERT INTO aside."odd name" VALUES (jsonb_build_object('a', ?::text), ?, ARRAY[?::text])`,
		all[5].Value, []byte(all[3].Value), base64.StdEncoding.EncodeToString([]byte(all[0].Value)))
	if leaks, err := s.Postgres(t.Context(), d.DB.DB); err != nil || len(leaks) != 3 {
		t.Errorf("%v, %v", leaks, err)
	}
}
