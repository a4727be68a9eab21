package e2e

import (
	"context"
	"fmt"
	"testing"

	"gatehouse/agentd/wire"
)

// Story is what a reader of a run has got so far, whatever broke in between.
type Story struct {
	last   int64
	Events []Event
	Text   string // of all answers, in order
	Final  *wire.FinalData
	Err    *wire.ErrorData
}

// Ended reports whether the run has ended.
func (s *Story) Ended() bool { return s.Final != nil || s.Err != nil }

// add takes the next event; a repeat or a step back fails.
func (s *Story) add(t *testing.T, e Event) {
	t.Helper()
	if e.Kind != wire.EventQueued && e.n <= s.last {
		t.Errorf("event %d %s came after %d", e.n, e.Kind, s.last)
	}
	s.last = max(s.last, e.n)
	s.Events = append(s.Events, e)
	switch e.Kind {
	case wire.EventDelta:
		s.Text += Decode[wire.DeltaData](t, e).Text
	case wire.EventFinal:
		f := Decode[wire.FinalData](t, e)
		s.Final = &f
	case wire.EventError:
		f := Decode[wire.ErrorData](t, e)
		s.Err = &f
	}
}

// Follow goes on reading, again and again while the stream breaks, until enough holds or the run has ended.
func (c *Client) Follow(run string, s *Story, enough func() bool) *Story {
	c.T.Helper()
	ctx, cancel := context.WithTimeout(c.T.Context(), WaitLimit)
	defer cancel()
	for !s.Ended() && !enough() {
		_ = c.read(ctx, run, s.last, func(e Event) bool { // a stream that broke is opened again
			s.add(c.T, e)
			if err := c.Hub.spec.Event(string(e.Kind), e.data); err != nil {
				c.T.Errorf("not as /api/openapi.json says: %v", err)
			}
			return !enough()
		})
		if ctx.Err() != nil {
			c.T.Fatalf("run %s does not come to an end; %d events, the last: %v", run, len(s.Events), s.Tail())
		}
	}
	return s
}

// End reads a run to its end.
func (c *Client) End(run string) *Story {
	c.T.Helper()
	return c.Follow(run, &Story{}, func() bool { return false })
}

// Tail is the last events, for a failing test.
func (s *Story) Tail() (out []string) {
	for _, e := range s.Events[max(0, len(s.Events)-5):] {
		out = append(out, fmt.Sprintf("%d %s %.200s", e.n, e.Kind, e.data))
	}
	return out
}

// Answer puts together the pieces of the root run that hold: those of the last attempt of each model call.
func (s *Story) Answer(t *testing.T) (text string) {
	t.Helper()
	var pieces []wire.DeltaData
	last := map[int]int{} // attempt by step
	for _, e := range s.Events {
		if e.Kind != wire.EventDelta {
			continue
		}
		d := Decode[wire.DeltaData](t, e)
		pieces, last[d.Step] = append(pieces, d), max(last[d.Step], d.Attempt)
	}
	for _, d := range pieces {
		if d.Attempt == last[d.Step] {
			text += d.Text
		}
	}
	return text
}
