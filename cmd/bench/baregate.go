package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"gatehouse/agentd/store"
)

// What the gate writes for one call of the figure, in rows and bytes of each: before the tool may run four receipts and the
// record of the call, after it a receipt and the record again. Counted in the tables after 1,000 calls.
const (
	decisionRows, decisionBytes = 5, 530
	outcomeRows, outcomeBytes   = 2, 700
)

func bareGateControl() *Control {
	return &Control{
		How:  "a durable transaction of agentd's store with as many rows and bytes and nothing to decide: what the disk costs; in this process",
		Take: takeBareGate,
	}
}

// takeBareGate writes what the gate writes, and decides nothing.
func takeBareGate(ctx context.Context, s *Stage) (run Run, err error) {
	dir, err := os.MkdirTemp(s.dir, "bare-")
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := store.Open(dir, time.Now)
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows := func(n, size int) error {
		body := bytes.Repeat([]byte{'x'}, size)
		return db.Write(ctx, func(tx *sql.Tx) error {
			for range n {
				if _, err := db.Exec(tx, "INSERT INTO bare (body) VALUES (?)", body); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err = db.Write(ctx, func(tx *sql.Tx) error {
		_, err := db.Exec(tx, "CREATE TABLE bare (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
		return err
	})
	if err != nil {
		return Run{}, err
	}
	var took []time.Duration
	for range s.gateCalls() {
		at := time.Now()
		if err := rows(decisionRows, decisionBytes); err != nil {
			return Run{}, err
		}
		took = append(took, time.Since(at))
		if err := rows(outcomeRows, outcomeBytes); err != nil {
			return Run{}, err
		}
	}
	return Run{Value: percentile(took, 99), N: len(took), Note: fmt.Sprintf("half of them within %.2f ms", percentile(took, 50))}, nil
}
