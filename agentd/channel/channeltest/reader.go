package channeltest

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/channel"
)

// Reader takes what a channel hands on.
type Reader struct {
	channel.Channel

	Stop  func()     // ends the channel and waits for that
	Ended chan error // how the channel ended, once it has

	up     chan string
	mu     sync.Mutex
	all    []channel.Inbound
	cursor string
}

// Run runs the channel that makes gives for a cursor and for what is told once it takes messages. It ends with the test.
func Run(t testing.TB, cursor string, makes func(up func(account string)) channel.Channel) *Reader {
	t.Helper()
	r := &Reader{Ended: make(chan error, 1), up: make(chan string, 1), cursor: cursor}
	r.Channel = makes(func(account string) {
		select {
		case r.up <- account:
		default:
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	inbox, done := make(chan channel.Inbound), make(chan struct{})
	go func() {
		defer close(done)
		for m := range inbox {
			r.take(m)
		}
	}()
	go func() {
		r.Ended <- r.Run(ctx, inbox)
		close(inbox)
	}()
	r.Stop = func() {
		stop()
		<-done
	}
	t.Cleanup(r.Stop)
	return r
}

func (r *Reader) take(m channel.Inbound) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cursor = m.Cursor
	if m.ID != "" {
		r.all = append(r.all, m)
	}
	if m.Taken != nil {
		m.Taken()
	}
}

// Ready waits until the channel takes messages.
func (r *Reader) Ready(t testing.TB) *Reader {
	t.Helper()
	select {
	case <-r.up:
	case err := <-r.Ended:
		t.Fatalf("it ended: %v", err)
	case <-time.After(20 * time.Second):
		t.Fatal("it is not ready after 20 s")
	}
	return r
}

// End waits until the channel has ended, and gives how.
func (r *Reader) End(t testing.TB) error {
	t.Helper()
	select {
	case err := <-r.Ended:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("it has not ended after 20 s")
		return nil
	}
}

// Came are the messages that came, repeats included.
func (r *Reader) Came() []channel.Inbound {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]channel.Inbound{}, r.all...)
}

// At is the newest cursor.
func (r *Reader) At() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cursor
}

// Waits waits until n messages came, and gives all.
func (r *Reader) Waits(t testing.TB, n int) []channel.Inbound {
	t.Helper()
	Until(t, strconv.Itoa(n)+" messages", func() bool { return len(r.Came()) >= n })
	return r.Came()
}

// Until waits until something holds, for half a minute at most.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	over := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-over:
			t.Fatalf("it did not come about in 30 s: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
