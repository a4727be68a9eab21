package lane_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"gatehouse/agentd/runtime/lane"
)

// hall is a lane with one place, and a note of what happened in it.
type hall struct {
	*lane.Lane
	t    *testing.T
	mu   sync.Mutex
	seen []string
}

func (h *hall) note(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, what)
}

// enter lets a run come, and waits until it is in or waits itself.
func (h *hall) enter(ctx context.Context, name string) {
	go func() {
		if err := h.Enter(ctx, func() { h.note(name + " waits") }); err != nil {
			h.note(name + " " + err.Error())
			return
		}
		h.note(name + " in")
	}()
	synctest.Wait()
}

func (h *hall) leave() {
	h.Leave()
	synctest.Wait()
}

func (h *hall) want(want ...string) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(h.seen, want) {
		h.t.Errorf("seen %q, want %q", h.seen, want)
	}
	h.seen = nil
}

// in runs a test with a lane of one place.
func in(t *testing.T, test func(t *testing.T, h *hall)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, &hall{Lane: lane.New(1), t: t}) })
}

// TestEnter_inOrder: who came first goes first, and one goes for each that leaves.
func TestEnter_inOrder(t *testing.T) {
	in(t, func(t *testing.T, h *hall) {
		for _, name := range []string{"a", "b", "c"} {
			h.enter(t.Context(), name)
		}
		h.want("a in", "b waits", "c waits")
		h.leave()
		h.want("b in")
		h.leave()
		h.want("c in")
		h.leave()
		h.enter(t.Context(), "d")
		h.want("d in")
	})
}

// TestEnter_stopped: a run that is stopped says why and takes no place, whether it has waited or not.
func TestEnter_stopped(t *testing.T) {
	in(t, func(t *testing.T, h *hall) {
		ctx, stop := context.WithCancelCause(t.Context())
		h.enter(t.Context(), "a")
		h.enter(ctx, "b")
		h.enter(t.Context(), "c")
		h.want("a in", "b waits", "c waits")
		stop(errors.New("was stopped"))
		synctest.Wait()
		h.want("b was stopped")
		h.leave()
		h.want("c in")
		h.leave()
		h.enter(ctx, "d")
		h.enter(t.Context(), "e")
		h.want("d was stopped", "e in")
	})
}

// TestRetake: a run that comes back from waiting goes on at once, and the next one waits until there is room for it again.
func TestRetake(t *testing.T) {
	in(t, func(t *testing.T, h *hall) {
		h.enter(t.Context(), "a")
		h.leave() // it waits for a person
		h.enter(t.Context(), "b")
		h.Retake()
		h.enter(t.Context(), "c")
		h.want("a in", "b in", "c waits")
		h.leave()
		h.want()
		h.leave()
		h.want("c in")
	})
}

// TestEnter_stoppedAsItsTurnComes: a place that is given to a run at the moment it is stopped is not lost.
func TestEnter_stoppedAsItsTurnComes(t *testing.T) {
	t.Parallel()
	l := lane.New(1)
	for range 2000 {
		if err := l.Enter(t.Context(), func() {}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		waits, ended := make(chan struct{}), make(chan error)
		go func() { ended <- l.Enter(ctx, func() { close(waits) }) }()
		<-waits
		stop()
		l.Leave() // before it has noticed
		if err := <-ended; err == nil {
			l.Leave()
		}
		ctx, stop = context.WithCancel(t.Context())
		if err := l.Enter(ctx, stop); err != nil {
			t.Fatal("the place is lost")
		}
		l.Leave()
		stop()
	}
}
