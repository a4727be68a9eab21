package turn

import (
	"testing"

	"pgregory.net/rapid"

	"gatehouse/agentd/wire"
)

// Whatever is lost on the way and wherever the stream is taken up again, the page ends like one that saw everything.
func TestTurn_dropsAndResumesLeaveNoTrace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := drawRun(t)
		want := undisturbed(t, events)
		got := newPage(t)
		disturbed(t, got, events)
		if got.dom() != want.dom() {
			t.Fatalf("after drops\n%s\nundisturbed\n%s", got.dom(), want.dom())
		}
	})
}

// disturbed pushes events over a stream that breaks at drawn places, each time with what was not sent yet lost.
func disturbed(t *rapid.T, p *page, events []wire.RunEvent) {
	done := 0 // events that have happened
	for done < len(events) {
		turn := New(rootRun, "dispatcher", t0, p.have)
		until := rapid.IntRange(done, len(events)).Draw(t, "until")
		if rapid.IntRange(0, 3).Draw(t, "last") == 0 {
			until = len(events)
		}
		for i, ev := range events[:until] {
			turn.Take(ev)
			if i >= done && rapid.Bool().Draw(t, "flush") {
				push(p, turn)
			}
		}
		if until == len(events) || rapid.Bool().Draw(t, "flush before the break") {
			push(p, turn)
		}
		done = until
	}
}

func push(p *page, turn *Turn) {
	if patches := turn.Flush(pageContext(), names); len(patches) > 0 {
		p.receive(turn.Last(), patches)
	}
}

// A page that loads late shows the same bubble as one that was there all the time.
func TestTurn_lateReaderSeesTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := drawRun(t)
		late := New(rootRun, "dispatcher", t0, 0)
		for _, ev := range events {
			late.Take(ev)
		}
		fresh := &page{t: t, body: newPage(t).body}
		push(fresh, late)
		if got, want := fresh.dom(), undisturbed(t, events).dom(); got != want {
			t.Fatalf("late\n%s\nundisturbed\n%s", got, want)
		}
	})
}

// An event that comes twice, or late, changes nothing.
func TestTurn_repeatsChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := drawRun(t)
		turn := New(rootRun, "dispatcher", t0, 0)
		for i, ev := range events {
			turn.Take(ev)
			if again := events[rapid.IntRange(0, i).Draw(t, "again")]; turn.Take(again) {
				t.Fatalf("event %d was taken twice", again.N)
			}
		}
		p := newPage(t)
		push(p, turn)
		if got, want := p.dom(), undisturbed(t, events).dom(); got != want {
			t.Fatalf("with repeats\n%s\nwithout\n%s", got, want)
		}
	})
}
