package db_test

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/app/credential"
	"gatehouse/db"
)

// linkTo stores a link of a fresh customer and gives its token.
func linkTo(t *testing.T, d *db.DB, kind credential.LinkKind, box string) (*db.SecretLinks, credential.Link, []byte) {
	t.Helper()
	n, _ := withServer(t, d)
	var token [32]byte
	_, _ = rand.Read(token[:])
	sum := sha256.Sum256(token[:])
	s := &db.SecretLinks{DB: d}
	l := credential.Link{
		ID: id(t), CustomerID: n.Order.CustomerID, Kind: kind, Name: "ghost.admin", Take: sum[:], Box: box, By: "owner@example.com",
		CreatedAt: t0, ExpiresAt: t0.Add(credential.LinkLife),
	}
	must(t, s.AddLink(t.Context(), l))
	return s, l, sum[:]
}

// TestSecretLinks_once: of many at once one gets the value, and afterwards the database has it no more.
func TestSecretLinks_once(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	s, l, token := linkTo(t, d, credential.LinkView, "sealed")
	for range 5 { // robots that look at the address
		_, err := s.Peek(t.Context(), l.ID, t0)
		must(t, err)
	}
	var got atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			taken, err := s.Take(t.Context(), l.ID, token, t0.Add(time.Minute))
			if err == nil && taken.Box == "sealed" && taken.Name == l.Name {
				got.Add(1)
			} else if !errors.Is(err, credential.ErrLink) {
				t.Errorf("refused with %v", err)
			}
		})
	}
	wg.Wait()
	if got.Load() != 1 {
		t.Errorf("%d got the value", got.Load())
	}
	var left int
	must(t, d.Pool.QueryRow(t.Context(), "SELECT count(*) FROM secret_links WHERE box IS NOT NULL").Scan(&left))
	if _, err := s.Peek(t.Context(), l.ID, t0); !errors.Is(err, credential.ErrLink) || left != 0 {
		t.Errorf("taken: %v, %d values left", err, left)
	}
}

// TestSecretLinks_refused: a wrong token, another id and a time too late get nothing, and the link stays.
func TestSecretLinks_refused(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	s, l, token := linkTo(t, d, credential.LinkView, "sealed")
	for name, try := range map[string]func() error{
		"wrong token": func() error { _, err := s.Take(t.Context(), l.ID, make([]byte, 32), t0); return err },
		"another id":  func() error { _, err := s.Take(t.Context(), id(t), token, t0); return err },
		"too late":    func() error { _, err := s.Take(t.Context(), l.ID, token, l.ExpiresAt); return err },
	} {
		if err := try(); !errors.Is(err, credential.ErrLink) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := s.Take(t.Context(), l.ID, token, l.ExpiresAt.Add(-time.Second)); err != nil || got.Box != "sealed" {
		t.Errorf("%+v, %v", got, err)
	}
}
