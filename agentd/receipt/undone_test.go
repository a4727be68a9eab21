package receipt_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"gatehouse/agentd/receipt"
)

var errAfter = errors.New("a fault after the receipt")

// TestAppend_besideFaultyWrites: a record whose Write is taken back leaves no gap, whoever shares its transaction.
func TestAppend_besideFaultyWrites(t *testing.T) {
	t.Parallel()
	w := open(t, 0)
	var good atomic.Int64
	var all sync.WaitGroup
	for i := range 300 {
		all.Go(func() {
			err := w.db.Write(context.Background(), func(tx *sql.Tx) error {
				for range 1 + i%3 {
					if _, err := w.Append(tx, receipt.Entry{Type: "call.requested"}); err != nil {
						return err
					}
				}
				switch i % 10 {
				case 0:
					return errAfter
				case 5:
					panic("a panic after the receipt")
				}
				return nil
			})
			switch {
			case i%5 == 0 && err == nil:
				t.Error("a faulty Write was kept")
			case i%5 != 0 && err != nil:
				t.Error(err)
			case err == nil:
				good.Add(int64(1 + i%3))
			}
		})
	}
	all.Wait()
	head, err := receipt.Verify(context.Background(), w.db.Read())
	if err != nil || head.Seq != good.Load() {
		t.Errorf("%d records are good, want %d: %v", head.Seq, good.Load(), err)
	}
}

// TestAppend_afterAttempt: a record within an attempt that failed is forgotten, and the next takes its place.
func TestAppend_afterAttempt(t *testing.T) {
	t.Parallel()
	w := open(t, 0)
	err := w.db.Write(context.Background(), func(tx *sql.Tx) error {
		add := func() error {
			_, err := w.Append(tx, receipt.Entry{Type: "call.requested"})
			return err
		}
		if err := add(); err != nil {
			return err
		}
		failed, err := w.db.Attempt(tx, func() error { return errors.Join(add(), add(), errAfter) })
		if !errors.Is(failed, errAfter) {
			t.Errorf("the attempt answered %v", failed)
		}
		return errors.Join(err, add())
	})
	if err != nil {
		t.Fatal(err)
	}
	if head, err := receipt.Verify(context.Background(), w.db.Read()); err != nil || head.Seq != 2 {
		t.Errorf("%d records are good, want 2: %v", head.Seq, err)
	}
}
