package runtime_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"testing"

	"gatehouse/agentd/wire"
)

// TestEvents_besideFaultyWrites has turns while other writes of the same batches fail and take the shared transaction
// with them: no event is lost, none is kept twice, and whoever asks meanwhile reads all that was shown before.
func TestEvents_besideFaultyWrites(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: instant})
	stop := make(chan struct{})
	faults := faulty(s, stop)
	var turns sync.WaitGroup
	for range 6 {
		turns.Go(func() {
			session := id(t)
			for range 10 {
				turnWatched(t, s, message(t, session, "it-admin", "Go"))
			}
		})
	}
	turns.Wait()
	close(stop)
	if n := <-faults; n == 0 {
		t.Error("no write failed: this has shown nothing")
	}
}

// faulty makes writes that fail until stop is closed, and then tells how many did.
func faulty(s *server, stop <-chan struct{}) <-chan int {
	out := make(chan int, 1)
	go func() {
		for n := 0; ; {
			select {
			case <-stop:
				out <- n
				return
			default:
			}
			boom := errors.New("boom")
			if errors.Is(s.DB.Write(context.Background(), func(*sql.Tx) error { return boom }), boom) {
				n++
			}
		}
	}()
	return out
}

// turnWatched has one turn, asking for its events all the time.
func turnWatched(t *testing.T, s *server, m wire.ChatMessage) {
	t.Helper()
	s.post(t, m)
	for ended := false; !ended; {
		before := eventsOf(s, m.RunID)
		ended = slices.ContainsFunc(before, func(e wire.RunEvent) bool { return e.Event == wire.EventFinal })
		got := call[wire.EventsResult](t, s, wire.MethodRunEvents, wire.EventsParams{RunID: m.RunID})
		for i, e := range before {
			if i >= len(got.Items) || got.Items[i].N != e.N || got.Items[i].Event != e.Event {
				t.Fatalf("of %d events that were shown, number %d (%s) was not answered at its place among %d", len(before), e.N, e.Event,
					len(got.Items))
			}
		}
		if ended && len(got.Items) != len(before) {
			t.Errorf("%d events in the end, %d were shown", len(got.Items), len(before))
		}
	}
	var kept int
	if err := s.DB.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM run_events WHERE root_id = ?", m.RunID).Scan(&kept); err != nil {
		t.Error(err)
	}
	if shown := len(eventsOf(s, m.RunID)); kept != shown {
		t.Errorf("%d events are durable, %d were shown", kept, shown)
	}
}

// eventsOf are the events of a run that were shown so far.
func eventsOf(s *server, run string) []wire.RunEvent {
	return slices.DeleteFunc(s.watch.events(), func(e wire.RunEvent) bool { return e.Root != run })
}
