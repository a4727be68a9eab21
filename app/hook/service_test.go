package hook_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/hook"
	"gatehouse/app/server"
)

// slow is a server that answers when it is told to.
type slow struct{ come, answer chan struct{} }

func (s slow) Call(context.Context, string, wire.Method, any, any) error {
	s.come <- struct{}{}
	<-s.answer
	return nil
}

// TestDeliver_busy: no more deliveries than a link bears are on their way to one server, and those to another one are not held up.
func TestDeliver_busy(t *testing.T) {
	t.Parallel()
	live := slow{make(chan struct{}, 2*hook.MaxBusy), make(chan struct{})}
	s := &hook.Service{Peer: server.Peer{Live: live}}
	var all sync.WaitGroup
	begin := func(id, from string) {
		all.Go(func() {
			if _, err := s.Deliver(t.Context(), id, from, wire.HookDelivery{}); err != nil {
				t.Error(err)
			}
		})
		<-live.come
	}
	for i := range hook.MaxBusy {
		begin("a", strconv.Itoa(i))
	}
	if _, err := s.Deliver(t.Context(), "a", "new", wire.HookDelivery{}); !errors.Is(err, hook.ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	begin("b", "0")
	close(live.answer)
	all.Wait()
	begin("a", "0")
	all.Wait()
}

// TestDeliver_busyFrom: two networks that send as much as they can leave room for others, and get it anew when theirs are answered.
func TestDeliver_busyFrom(t *testing.T) {
	t.Parallel()
	live := slow{make(chan struct{}, 2*hook.MaxBusy), make(chan struct{})}
	s := &hook.Service{Peer: server.Peer{Live: live}}
	var all sync.WaitGroup
	begin := func(id, from string) {
		all.Go(func() {
			if _, err := s.Deliver(t.Context(), id, from, wire.HookDelivery{}); err != nil {
				t.Errorf("%s from %s: %v", id, from, err)
			}
		})
		<-live.come
	}
	for _, forger := range []string{"192.0.2.1", "192.0.2.2"} {
		for range hook.MaxBusyFrom {
			begin("a", forger)
		}
		for range hook.MaxBusy {
			if _, err := s.Deliver(t.Context(), "a", forger, wire.HookDelivery{}); !errors.Is(err, hook.ErrBusy) {
				t.Fatalf("one more of a forger: %v", err)
			}
		}
	}
	begin("a", "198.51.100.7")
	begin("b", "192.0.2.1")
	close(live.answer)
	all.Wait()
	begin("a", "192.0.2.1")
	all.Wait()
}

// doors has one address.
type doors struct{}

func (doors) ServerAt(_ context.Context, hook string) (server.ID, error) {
	if hook == "known" {
		return "a", nil
	}
	return "", nil
}

// TestBring: what a messenger brings goes to the server of its address, as many at once as hooks bring; an address that is nobody's
// reaches no server.
func TestBring(t *testing.T) {
	t.Parallel()
	live := slow{make(chan struct{}, 2*hook.MaxBusy), make(chan struct{})}
	s := &hook.Service{Peer: server.Peer{Live: live}, Doors: doors{}}
	var all sync.WaitGroup
	for range hook.MaxBusyFrom {
		all.Go(func() {
			if _, err := s.Bring(t.Context(), "n", wire.ChannelDelivery{Hook: "known"}); err != nil {
				t.Error(err)
			}
		})
		<-live.come
	}
	if _, err := s.Bring(t.Context(), "n", wire.ChannelDelivery{Hook: "known"}); !errors.Is(err, hook.ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	if _, err := s.Bring(t.Context(), "m", wire.ChannelDelivery{Hook: "other"}); !errors.Is(err, hook.ErrNoDoor) {
		t.Errorf("an address that is nobody's: %v", err)
	}
	close(live.answer)
	all.Wait()
}
