package receipt

import (
	"context"
	"errors"
	"fmt"
)

// Check verifies every record that this process has not verified yet, and that the last verified one still stands.
func (l *Log) Check(ctx context.Context) error {
	l.checking.Lock()
	defer l.checking.Unlock()
	if l.verified.Seq > 0 {
		if err := l.stands(ctx); err != nil {
			return err
		}
	}
	head, err := VerifyFrom(ctx, l.db.Read(), l.verified)
	var broken *Broken
	if err == nil || errors.As(err, &broken) {
		l.verified = head
	}
	return err
}

// stands reads the verified record again: whoever rewrites the log from the start has to change it too.
func (l *Log) stands(ctx context.Context) error {
	var hash string
	err := l.db.Read().QueryRowContext(ctx, "SELECT hash FROM receipts WHERE seq = ?", l.verified.Seq).Scan(&hash)
	if err != nil || hash != l.verified.Hash {
		return &Broken{Seq: l.verified.Seq, Why: fmt.Sprintf("is no longer the record that was verified (%v)", err)}
	}
	return nil
}
