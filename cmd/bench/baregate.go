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

// What the gate keeps of one decision before the tool may run, and of the outcome after it: measured as the rows that
// 1,000 calls of the figure changed, and what those rows hold.
const (
	decisionRows, decisionBytes = 5, 500 // bytes of each row
	outcomeRows, outcomeBytes   = 2, 500
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
