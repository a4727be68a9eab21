package channel_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// withFetch is a message whose file lies at the provider, of that many bytes, and how often it was fetched.
func withFetch(m channel.Inbound, bytes int) (channel.Inbound, *atomic.Int32) {
	var n atomic.Int32
	m.Fetch = channel.Fetcher{}.All(3, func(_ context.Context, i int) (channel.File, error) {
		n.Add(1)
		return channel.File{Name: fmt.Sprintf("%d.txt", i), Data: make([]byte, bytes)}, nil
	})
	return m, &n
}

// TestFetch: files are fetched of those whose message is taken, and of nobody else.
func TestFetch(t *testing.T) {
	t.Parallel()
	w := start(t, wire.ChannelOpen)
	m, n := withFetch(from(owner, "<1@x>", "Look", true), 1)
	w.came(m)
	until(t, "a run", func() bool { return len(w.all(t)) == 1 })
	if got := w.all(t)[0]; n.Load() != 3 || len(got.Files) != 3 {
		t.Errorf("%d fetched, %q", n.Load(), got.Files)
	}
	for i := range wire.MaxStrangerHour {
		w.came(from(stranger, fmt.Sprintf("<s%d@x>", i), "Hello", true))
		until(t, "another run", func() bool { return len(w.all(t)) == i+2 })
		w.answer(t, w.all(t)[i+1].RunID, "Yes.")
		until(t, "its end", func() bool { return w.open(t) <= 1 })
	}
	many, n := withFetch(from(stranger, "<many@x>", "Hello", true), 1)
	group, inGroup := withFetch(from(owner, "<group@x>", "Hello", true), 1)
	group.Group = "group"
	forged, ofForged := withFetch(from(owner, "<forged@x>", "Hello", true), 1)
	forged.Forged = true
	w.came(many, group, forged)
	until(t, "all were looked at", func() bool { return w.view(t).Counts.Refused == 3 })
	if n.Load()+inGroup.Load()+ofForged.Load() != 0 {
		t.Errorf("%d %d %d", n.Load(), inGroup.Load(), ofForged.Load())
	}
}

// open is how many messages are being worked on.
func (w *world) open(t testing.TB) (n int) {
	t.Helper()
	if err := w.DB.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM channel_messages WHERE open = 1").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFetch_room: what is more than one channel keeps within a day is not fetched, and the message says so.
func TestFetch_room(t *testing.T) {
	t.Parallel()
	w := start(t, wire.ChannelPairing)
	fill := func(bytes int) {
		t.Helper()
		err := w.DB.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), "UPDATE channel_messages SET bytes = ? WHERE seq = 1", bytes)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.came(from(owner, "<0@x>", "Hello", true))
	until(t, "a run", func() bool { return len(w.all(t)) == 1 })
	fill(500<<20 - 15)
	m, n := withFetch(from(owner, "<1@x>", "Look", true), 10)
	w.came(m)
	until(t, "another run", func() bool { return len(w.all(t)) == 2 })
	const why = "because too much came within a day"
	if got := w.all(t)[1]; n.Load() != 2 || len(got.Files) != 1 || strings.Count(toText(got), why) != 1 {
		t.Errorf("%d fetched: %+v", n.Load(), got)
	}
	fill(500 << 20)
	m, n = withFetch(from(owner, "<2@x>", "Look", true), 10)
	w.came(m)
	until(t, "the third run", func() bool { return len(w.all(t)) == 3 })
	if got := w.all(t)[2]; n.Load() != 0 || len(got.Files) != 0 || strings.Count(toText(got), why) != 1 {
		t.Errorf("%d fetched: %+v", n.Load(), got)
	}
}

func toText(s channel.Start) string { return fmt.Sprintf("%+v", s) }

// TestFetch_waited: a message whose sender waits is taken without the files that do not come, in time for the answer.
func TestFetch_waited(t *testing.T) {
	t.Parallel()
	w := start(t, wire.ChannelPairing)
	m := from(owner, "<1@x>", "Look", true)
	taken := make(chan struct{})
	m.Taken = func() { close(taken) }
	var deadline time.Duration
	slow := channel.Fetcher{
		Gone: &channel.LeftOut{Text: "A file did not come."}, After: func(error) (time.Duration, bool) { return 0, false },
	}
	m.Fetch = slow.All(2, func(ctx context.Context, i int) (channel.File, error) {
		if at, is := ctx.Deadline(); is && i == 0 {
			deadline = time.Until(at)
			return channel.File{Name: "0.txt", Data: []byte("x")}, nil
		}
		<-ctx.Done()
		return channel.File{}, ctx.Err()
	})
	w.came(m)
	select {
	case <-taken:
	case <-time.After(20 * time.Second):
		t.Fatal("it was not taken")
	}
	if got := w.all(t); len(got) != 1 || len(got[0].Files) != 1 || !strings.Contains(toText(got[0]), "A file did not come.") {
		t.Errorf("%+v", got)
	}
	if deadline <= 0 || deadline > time.Second {
		t.Errorf("it may take %s", deadline)
	}
}
