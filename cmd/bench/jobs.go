package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"gatehouse/app/work"
	"gatehouse/cmd/hub/rig"
	"gatehouse/db"
	"gatehouse/jobs"
)

func jobPickup() Figure {
	return Figure{
		Name: "job_pickup_p99_ms", Unit: "ms", Goal: 10, Take: takePickup,
		How: "from the commit that queues a job, by another process, until the hub's worker has read the order it is about, by the time in the hub's log; one every 7 ms; p99",
	}
}

// firstAttempt numbers the jobs of the bench, far above those that people can cause.
const firstAttempt = 1_000_000

// overtaken is what the worker logs of a job whose step is long done: it looked, and there was nothing to do.
const overtaken = "order step was overtaken"

func takePickup(ctx context.Context, s *Stage) (Run, error) {
	n := s.count(300, 20)
	from := firstAttempt + int(time.Now().UnixMilli()%1_000_000)*1000
	queued, err := s.queue(ctx, from, n)
	if err != nil {
		return Run{}, err
	}
	begun, err := s.begun(ctx, from, n)
	if err != nil {
		return Run{}, err
	}
	var took []time.Duration
	for attempt, at := range queued {
		took = append(took, max(0, begun[attempt].Sub(at)))
	}
	return Run{Value: percentile(took, 99), N: n, Note: fmt.Sprintf("p50 %s ms", number(percentile(took, 50)))}, nil
}

// queue asks n times for a step that the demo's order took long ago, and says when each was committed.
func (s *Stage) queue(ctx context.Context, from, n int) (map[int]time.Time, error) {
	q, err := jobs.NewQueue(s.db.Pool, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	o, err := (&db.Orders{DB: s.db}).Of(ctx, s.owner.CustomerID)
	if err != nil {
		return nil, err
	}
	at := map[int]time.Time{}
	tick := time.NewTicker(7 * time.Millisecond)
	defer tick.Stop()
	for attempt := from; attempt < from+n; attempt++ {
		item := work.AdvanceOrder{OrderID: string(o.ID), Step: "PAYMENT_CONFIRMED", Attempt: attempt}
		err := s.db.InTx(ctx, func(ctx context.Context, tx db.Tx) error {
			return q.EnqueueTx(ctx, tx.PGX, []work.Item{item})
		})
		if err != nil {
			return nil, err
		}
		at[attempt] = time.Now()
		<-tick.C
	}
	return at, nil
}

var errNotWorked = errors.New("some jobs were never worked")

// begun waits until the hub has logged all n jobs and says when each was.
func (s *Stage) begun(ctx context.Context, from, n int) (map[int]time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	var at map[int]time.Time
	var failed error
	ok := rig.Until(ctx, func() bool {
		at, failed = worked(filepath.Join(s.hub.Dir, "hub.log"), from, from+n)
		return failed != nil || len(at) == n
	})
	if !ok {
		failed = errNotWorked
	}
	return at, failed
}

// worked reads the times of the worker's lines about jobs with numbers from up to before.
func worked(path string, from, before int) (map[int]time.Time, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	at := map[int]time.Time{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct {
			Time    time.Time `json:"time"`
			Msg     string    `json:"msg"`
			Attempt int       `json:"attempt"`
		}
		if !bytes.Contains(lines.Bytes(), []byte(overtaken)) {
			continue
		}
		if json.Unmarshal(lines.Bytes(), &l) == nil && l.Msg == overtaken && l.Attempt >= from && l.Attempt < before {
			at[l.Attempt] = l.Time
		}
	}
	return at, lines.Err()
}
