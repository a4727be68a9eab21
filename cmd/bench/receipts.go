package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
)

func receiptsPerSecond() Figure {
	return Figure{
		Name: "receipts_per_s", Unit: "/s", Goal: 4000, More: true, Fsync: true, Take: takeReceipts,
		How: "receipts of calls appended to agentd's log by 64 runs at once, each durable before the next of its run, in this process",
	}
}

// writers is how many runs write at once: as many as a busy server's team has on its way.
const writers = 64

// takeReceipts fills a log of its own for a while, and checks that the chain holds.
func takeReceipts(ctx context.Context, s *Stage) (run Run, err error) {
	dir, err := os.MkdirTemp(s.dir, "receipts-")
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := store.Open(dir, time.Now)
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	span := 4 * time.Second
	if s.bench.quick {
		span = 200 * time.Millisecond
	}
	log := receipt.New(db, time.Now)
	n, took, err := fillLog(ctx, db, log, span)
	if err != nil {
		return Run{}, err
	}
	return Run{Value: float64(n) / took.Seconds(), N: n, Note: "the chain holds"}, log.Check(ctx)
}

func fillLog(ctx context.Context, db *store.DB, log *receipt.Log, span time.Duration) (int, time.Duration, error) {
	var n atomic.Int64
	var all sync.WaitGroup
	failed := make(chan error, writers)
	begun := time.Now()
	for i := range writers {
		all.Go(func() {
			for time.Since(begun) < span && ctx.Err() == nil {
				if err := db.Write(ctx, func(tx *sql.Tx) error { return appendOne(tx, log, i) }); err != nil {
					failed <- err
					return
				}
				n.Add(1)
			}
		})
	}
	all.Wait()
	close(failed)
	return int(n.Load()), time.Since(begun), errors.Join(<-failed, ctx.Err())
}

// appendOne adds a receipt like that of a call that was classified.
func appendOne(tx *sql.Tx, log *receipt.Log, run int) error {
	_, err := log.Append(tx, receipt.Entry{
		Type: "call.classified", RunID: fmt.Sprintf("01900000-0000-7000-8000-%012d", run), CallID: "01900000-0000-7000-8000-00000000000c", Tool: "file_read", Tier: "green",
		Body: map[string]any{"tier": "green", "action": "file.text.read", "summary": "Read notes/minutes.md", "args_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
	})
	return err
}
