package db_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/pool"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/db"
)

func addMachine(t *testing.T, p *pool.Service, name, region string) pool.Machine {
	t.Helper()
	m, err := p.Add(t.Context(), pool.New{Name: name, Address: name + ".example", Region: region}, audit.Itself)
	must(t, err)
	m, err = p.Free(t.Context(), m.ID, audit.Itself)
	must(t, err)
	return m
}

// TestPool_Take: of many orders at once each gets a machine of its own, the same one again when it asks again, and nobody gets
// one that is held or stands in another region.
func TestPool_Take(t *testing.T) {
	t.Parallel()
	store := &db.Pool{DB: fresh(t)}
	p := &pool.Service{Store: store, Now: time.Now}
	for i := range 3 {
		addMachine(t, p, fmt.Sprintf("eu%d", i), "eu")
	}
	addMachine(t, p, "na0", "na")
	held := addMachine(t, p, "held", "eu")
	_, err := p.Hold(t.Context(), held.ID, audit.Itself)
	must(t, err)
	var all sync.WaitGroup
	got := make([]pool.Machine, 5)
	errs := make([]error, 5)
	for i := range got {
		all.Go(func() {
			got[i], errs[i] = store.Take(t.Context(), fmt.Sprintf("00000000-0000-7000-8000-00000000000%d", i), "eu")
		})
	}
	all.Wait()
	seen, none := map[pool.ID]bool{}, 0
	for i, m := range got {
		if errors.Is(errs[i], pool.ErrNone) {
			none++
			continue
		}
		must(t, errs[i])
		if seen[m.ID] || m.Region != "eu" || m.State != pool.Taken || m.ID == held.ID {
			t.Errorf("order %d got %+v", i, m)
		}
		seen[m.ID] = true
		again, err := store.Take(t.Context(), m.ServerID, "eu")
		must(t, err)
		if again.ID != m.ID {
			t.Errorf("order %d asked again and got %s after %s", i, again.ID, m.ID)
		}
	}
	if len(seen) != 3 || none != 2 {
		t.Errorf("%d machines for 5 orders, %d went without", len(seen), none)
	}
	for id := range seen {
		_, err := p.Remove(t.Context(), id, audit.Itself)
		wantErr(t, err, pool.ErrTaken)
	}
	_, err = p.Remove(t.Context(), held.ID, audit.Itself)
	must(t, err)
	_, err = p.Add(t.Context(), pool.New{Name: "twin", Address: "na0.example", Region: "eu"}, audit.Itself)
	wantErr(t, err, pool.ErrKnown)
}

// TestPool_ended: a machine is known to be wanted no more from the end of its order on, also while its server is given back.
func TestPool_ended(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	store := &db.Pool{DB: d}
	addMachine(t, &pool.Service{Store: store, Now: time.Now}, "eu", "eu")
	o := serving(t, d)
	_, err := store.Take(t.Context(), o.ServerID, "eu")
	must(t, err)
	for _, c := range []struct {
		sql   string
		ended bool
	}{
		{"UPDATE orders SET standing = 'main' WHERE id = '%s'", false},
		{"UPDATE orders SET state = 'ENDED', end_reason = 'closed', release_at = now(), ended_at = now() WHERE id = '%s'", true},
		{"UPDATE orders SET state = 'RELEASING' WHERE id = '%s'", true},
	} {
		must(t, raw(t, d, fmt.Sprintf(c.sql, o.ID)))
		if m, err := store.OfServer(t.Context(), o.ServerID); err != nil || m.EndedAt.IsZero() == c.ended {
			t.Errorf("%s: ended at %s, %v", c.sql, m.EndedAt, err)
		}
	}
}

// TestSetups: one worker at a time; one that is silent for a minute is overtaken, and can write nothing any more.
func TestSetups(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	now := time.Now().UTC()
	s := &db.Setups{DB: d, Now: func() time.Time { return now }}
	_, srv := withServer(t, d)
	id := string(srv.ID)
	begun, err := s.Begun(t.Context(), id)
	if err != nil || begun {
		t.Fatalf("begun before: %v, %v", begun, err)
	}
	first, err := s.Begin(t.Context(), id)
	must(t, err)
	must(t, s.Start(t.Context(), id, first, "packages"))
	must(t, s.End(t.Context(), id, first, "packages", setup.Done, ""))
	must(t, s.Start(t.Context(), id, first, "docker"))
	now = now.Add(setup.Silence - time.Second)
	_, err = s.Begin(t.Context(), id)
	wantErr(t, err, setup.ErrBusy)
	must(t, s.Beat(t.Context(), id, first))
	now = now.Add(setup.Silence)
	_, err = s.Begin(t.Context(), id)
	wantErr(t, err, setup.ErrBusy)
	now = now.Add(time.Second)
	second, err := s.Begin(t.Context(), id)
	must(t, err)
	for what, err := range map[string]error{
		"beat":  s.Beat(t.Context(), id, first),
		"start": s.Start(t.Context(), id, first, "nginx"),
		"end":   s.End(t.Context(), id, first, "docker", setup.Done, ""),
		"leave": s.Leave(t.Context(), id, first),
	} {
		if !errors.Is(err, setup.ErrOvertaken) {
			t.Errorf("%s of the worker that was overtaken: %v", what, err)
		}
	}
	must(t, s.Start(t.Context(), id, second, "docker"))
	must(t, s.End(t.Context(), id, second, "docker", setup.Failed, "no disk left"))
	must(t, s.Leave(t.Context(), id, second))
	third, err := s.Begin(t.Context(), id)
	must(t, err)
	if third != second+1 {
		t.Errorf("attempt %d after %d", third, second)
	}
	notes, err := s.Notes(t.Context(), id)
	must(t, err)
	var told []string
	for _, n := range notes {
		told = append(told, fmt.Sprint(n.Step, " ", n.State, " ", n.Attempt, " ", n.Text))
	}
	want := []string{fmt.Sprintf("packages done %d ", first), fmt.Sprintf("docker failed %d no disk left", second)}
	if !slices.Equal(told, want) {
		t.Errorf("notes %q, want %q", told, want)
	}
}
