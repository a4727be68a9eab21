package db_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/providers"
	"gatehouse/db"
)

func adopted(t *testing.T, s *db.Adopted, number int64, region, plan string, since time.Time) {
	t.Helper()
	m := providers.Machine{ID: number, Name: "v" + id(t), Region: region, Plan: plan, Address: "192.0.2.1", AdoptedAt: since}
	m.Move(providers.Free, since)
	e := audit.Entry{ID: id(t), At: since, By: audit.Itself, Action: "netcup.adopt", Target: m.Name}
	must(t, s.Adopt(t.Context(), m, e))
	wantErr(t, s.Adopt(t.Context(), m, e), providers.ErrAdopted)
}

// TestAdopted_Take: a machine of the plan comes before one for any, the one that waits longest first, and a server keeps the one that it
// has.
func TestAdopted_Take(t *testing.T) {
	t.Parallel()
	s := &db.Adopted{DB: fresh(t)}
	now := time.Now().UTC().Truncate(time.Millisecond)
	adopted(t, s, 1, "eu", "", now.Add(-3*time.Hour))
	adopted(t, s, 2, "eu", "build", now.Add(-time.Hour))
	adopted(t, s, 3, "na", "build", now.Add(-9*time.Hour))
	adopted(t, s, 4, "eu", "scale", now.Add(-9*time.Hour))
	adopted(t, s, 5, "eu", "build", now.Add(-2*time.Hour))
	one := id(t)
	for _, want := range []struct {
		server string
		number int64
	}{{one, 5}, {one, 5}, {id(t), 2}, {id(t), 1}} {
		m, err := s.Take(t.Context(), want.server, "eu", "build", now)
		if err != nil || m.ID != want.number || m.State != providers.Taken || m.ServerID != want.server || !m.Since.Equal(now) {
			t.Errorf("took %+v, %v; want %d", m, err, want.number)
		}
	}
	_, err := s.Take(t.Context(), id(t), "eu", "build", now)
	wantErr(t, err, providers.ErrNoMachine)
	e := audit.Entry{ID: id(t), At: now, By: audit.Itself, Action: "netcup.forget"}
	wantErr(t, s.Forget(t.Context(), 5, e), providers.ErrTaken)
	must(t, s.Forget(t.Context(), 4, e))
	wantErr(t, s.Forget(t.Context(), 4, e), providers.ErrNoMachine)
}

// TestAdopted_Take_atOnce: of many orders at the same time no two get one machine.
func TestAdopted_Take_atOnce(t *testing.T) {
	t.Parallel()
	s := &db.Adopted{DB: fresh(t)}
	now := time.Now().UTC()
	for n := range int64(4) {
		adopted(t, s, n+1, "eu", "", now)
	}
	var mu sync.Mutex
	got := map[int64]int{}
	var orders sync.WaitGroup
	for range 8 {
		server := id(t)
		orders.Go(func() {
			m, err := s.Take(context.WithoutCancel(t.Context()), server, "eu", "lite", now)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				got[m.ID]++
			} else if !errors.Is(err, providers.ErrNoMachine) {
				t.Error(err)
			}
		})
	}
	orders.Wait()
	for number, times := range got {
		if times > 1 {
			t.Errorf("machine %d was given out %d times", number, times)
		}
	}
	if len(got) != 4 {
		t.Errorf("of 4 machines %d were given out", len(got))
	}
}

// TestProviderChecks: the last check of each provider is kept.
func TestProviderChecks(t *testing.T) {
	t.Parallel()
	s := &db.ProviderChecks{DB: fresh(t)}
	at := time.Now().UTC().Truncate(time.Millisecond)
	for _, c := range []providers.Check{
		{Provider: "hetzner", At: at, By: "ada@example.com", Said: "No."},
		{Provider: "netcup", At: at, By: "ada@example.com", OK: true, Said: "Yes."},
		{Provider: "hetzner", At: at.Add(time.Minute), By: "ada@example.com", OK: true, Said: "Yes."},
	} {
		must(t, s.Keep(t.Context(), c))
	}
	all, err := s.Checks(t.Context())
	if err != nil || len(all) != 2 || !all["hetzner"].OK || !all["hetzner"].At.Equal(at.Add(time.Minute)) {
		t.Errorf("%+v, %v", all, err)
	}
}
