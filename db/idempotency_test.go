package db_test

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse/app/replay"
	"gatehouse/db"
)

func hashOf(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// TestIdempotency: the first request of a key is let through, a repeat gets its answer, and nobody else's key is theirs.
func TestIdempotency(t *testing.T) {
	t.Parallel()
	s := &db.Idempotency{DB: fresh(t)}
	claim := func(who, request string, at time.Time) (*replay.Answer, error) {
		return s.Claim(t.Context(), who, "key", hashOf(request), at)
	}
	first := func(who string, at time.Time) {
		t.Helper()
		if a, err := claim(who, "a", at); a != nil || err != nil {
			t.Fatalf("not the first: %+v, %v", a, err)
		}
	}
	first("user:1", t0)
	first("user:2", t0)
	_, err := claim("user:1", "a", t0)
	wantErr(t, err, replay.ErrBusy)
	must(t, s.Save(t.Context(), "user:1", "key", replay.Answer{Status: 201, ContentType: "text/plain", Body: []byte("made")}))
	got, err := claim("user:1", "a", t0.Add(23*time.Hour))
	if err != nil || got.Status != 201 || string(got.Body) != "made" || got.ContentType != "text/plain" {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = claim("user:1", "b", t0.Add(23*time.Hour))
	wantErr(t, err, replay.ErrReused)
	must(t, s.Release(t.Context(), "user:1", "key")) // an answer that was kept is not given back
	if got, err = claim("user:1", "a", t0.Add(23*time.Hour)); err != nil || got == nil {
		t.Errorf("the answer is gone: %v", err)
	}
	first("user:1", t0.Add(25*time.Hour))
}

// TestIdempotency_noAnswer: a request that failed on our side gives its key back, and one that died loses it.
func TestIdempotency_noAnswer(t *testing.T) {
	t.Parallel()
	s := &db.Idempotency{DB: fresh(t)}
	for i, at := range []time.Time{t0, t0, t0.Add(3 * time.Minute)} { // the first is given back, the second dies
		if a, err := s.Claim(t.Context(), "user:1", "key", hashOf("a"), at); a != nil || err != nil {
			t.Fatalf("try %d: %+v, %v", i, a, err)
		}
		if i == 0 {
			must(t, s.Release(t.Context(), "user:1", "key"))
			_, err := s.First(t.Context(), "user:1", "key", hashOf("a"))
			wantErr(t, err, replay.ErrBusy)
		}
	}
}

// TestIdempotency_pin: whoever asks again, also at once, gets what the first was given; nobody else does.
func TestIdempotency_pin(t *testing.T) {
	t.Parallel()
	s := &db.Idempotency{DB: fresh(t)}
	pin := func(who, request, mine string, at time.Time) string {
		got, err := s.Pin(t.Context(), who, hashOf(request), []byte(mine), at)
		if err != nil {
			t.Error(err)
		}
		return string(got)
	}
	given := make(chan string, 8)
	var all sync.WaitGroup
	for i := range cap(given) {
		all.Go(func() { given <- pin("chat:1", "a", fmt.Sprintf("run %d", i), t0) })
	}
	all.Wait()
	first := <-given
	for range cap(given) - 1 {
		if other := <-given; other != first || first == "" {
			t.Errorf("%q and %q were given for one request", first, other)
		}
	}
	if got := pin("chat:1", "a", "late", t0.Add(23*time.Hour)); got != first {
		t.Errorf("a repeat got %q, the first %q", got, first)
	}
	if b, two := pin("chat:1", "b", "another", t0), pin("chat:2", "a", "theirs", t0); b != "another" || two != "theirs" {
		t.Errorf("another request got %q, somebody else %q", b, two)
	}
	if got := pin("chat:1", "a", "the next day", t0.Add(25*time.Hour)); got != "the next day" {
		t.Errorf("a day later: %q", got)
	}
}
