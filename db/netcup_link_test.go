package db_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/providers"
	"gatehouse/db"
)

// TestNetcupLink_ownTransaction: a token that works once is never kept in a transaction that may be undone; to read it there is fine,
// and needs no second connection.
func TestNetcupLink_ownTransaction(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	keys, err := db.NewKeyring(bytes.Repeat([]byte{7}, 32))
	must(t, err)
	s := &db.NetcupLink{DB: d, Keys: keys}
	token := func(token string) func(context.Context, *providers.Link) (*audit.Entry, error) {
		return func(_ context.Context, l *providers.Link) (*audit.Entry, error) {
			l.Refresh, l.At = token, time.Now().UTC()
			return nil, nil
		}
	}
	_, err = s.Change(t.Context(), token("first"))
	must(t, err)
	undone := errors.New("undone")
	err = d.InTx(t.Context(), func(ctx context.Context, tx db.Tx) error {
		if _, err := s.Change(ctx, token("second")); err == nil {
			t.Error("a token is kept in a transaction that is undone")
		}
		if _, err := tx.ExecContext(ctx, "UPDATE netcup_link SET account = 'in here'"); err != nil {
			return err
		}
		if l, err := s.Link(ctx); err != nil || l.Account != "in here" {
			t.Errorf("read from another connection: %+v, %v", l.Account, err)
		}
		return undone
	})
	wantErr(t, err, undone)
	if l, err := s.Link(t.Context()); err != nil || l.Refresh != "first" || l.Account != "" {
		t.Errorf("left are %q and %q, %v", l.Refresh, l.Account, err)
	}
}
