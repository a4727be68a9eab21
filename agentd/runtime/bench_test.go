package runtime_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

// counter is an emitter that only counts: benchmarks measure the runtime, not a test's memory.
type counter struct {
	deltas, ends atomic.Int64
	first        func(wire.RunEvent)
	end          func(wire.RunEvent)
}

func (c *counter) Emit(e wire.RunEvent) {
	switch e.Event {
	case wire.EventDelta:
		c.deltas.Add(1)
		if c.first != nil {
			c.first(e)
		}
	case wire.EventFinal, wire.EventError:
		c.ends.Add(1)
		if c.end != nil {
			c.end(e)
		}
	}
}

// instant answers in no time: one green call, then a text.
var instant = model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
	if newest(o).Role == llm.ToolReply {
		return say("It is done as asked.", text)
	}
	return calls(doit("a", "green", "x", ""))
}}

// BenchmarkTTFTAdded measures the time from a message to the first piece of text over a model that answers at once,
// with durability on. Reported as the median.
func BenchmarkTTFTAdded(b *testing.B) {
	at := make(chan time.Time, 1)
	c := &counter{first: func(wire.RunEvent) {
		select {
		case at <- time.Now():
		default:
		}
	}}
	ended := make(chan struct{}, 1)
	c.end = func(wire.RunEvent) { ended <- struct{}{} }
	s := start(b, options{model: says("Good morning."), emitter: c})
	session := id(b)
	var took []time.Duration
	for b.Loop() {
		m := message(b, session, "it-admin", "Hello")
		began := time.Now()
		s.post(b, m)
		took = append(took, (<-at).Sub(began))
		<-ended
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "turn_ttft_added_ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99_ms")
}

// BenchmarkTurns50Sessions measures whole turns a second over fifty conversations at once: message, model, one green
// tool call through the gate, model, answer; every step durable.
func BenchmarkTurns50Sessions(b *testing.B) {
	ends := sync.Map{}
	c := &counter{end: func(e wire.RunEvent) {
		if ch, ok := ends.LoadAndDelete(e.Root); ok {
			close(ch.(chan struct{}))
		}
	}}
	s := start(b, options{model: instant, emitter: c, noLedgerSync: true})
	b.ResetTimer()
	cpu := cpuTime(b)
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			session := id(b)
			for left.Add(-1) >= 0 {
				m := message(b, session, "it-admin", "Go")
				done := make(chan struct{})
				ends.Store(m.RunID, done)
				s.post(b, m)
				<-done
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns_per_s_50_sessions")
	b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/1000/float64(b.N), "cpu_ms/turn")
}

// cpuTime is what this process has used of the processors: unlike the clock, it does not see other processes.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestMemory_flat runs many turns and looks whether what they needed is given back.
func TestMemory_flat(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a few seconds")
	}
	done := make(chan struct{}, 1)
	c := &counter{end: func(wire.RunEvent) { done <- struct{}{} }}
	s := start(t, options{model: instant, emitter: c, noLedgerSync: true})
	turn := func() {
		s.post(t, message(t, id(t), "it-admin", strings.Repeat("Go ", 300)))
		<-done
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for range 50 {
		turn()
	}
	before, goroutines := heap(), runtime.NumGoroutine()
	for range 150 {
		turn()
	}
	if grown := int64(heap()) - int64(before); grown > 1<<20 {
		t.Errorf("the heap grew by %d KiB in 150 turns", grown>>10)
	}
	if n := runtime.NumGoroutine(); n > goroutines+10 {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
	if info, err := os.Stat(filepath.Join(s.DB.Dir(), "agentd.db")); err != nil || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// BenchmarkMarkedFiles measures a turn of three commands that show a file of our own, where five thousand others hold
// content from outside.
func BenchmarkMarkedFiles(b *testing.B) {
	d := openDesk(b, nil)
	err := d.DB.Write(b.Context(), func(tx *sql.Tx) error {
		for i := range 5000 {
			file := fmt.Sprintf("notes/%d/%d.md", i%50, i)
			at := filepath.Join(d.data, file)
			_, err := tx.ExecContext(b.Context(), "INSERT INTO derived_files (path, source, ref, at) VALUES (?, 'mail', 'm', 1)", file)
			if err := errors.Join(err, os.MkdirAll(filepath.Dir(at), 0o750), os.WriteFile(at, nil, 0o600)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		d.ask(b, "it-admin", "tail+own.md tail+-n+5+own.md tail+-n+3+own.md")
	}
}
