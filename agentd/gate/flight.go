package gate

import (
	"context"
	"fmt"
)

// flight is a call on its way in this process. Another Do of the same call waits for the same outcome.
type flight struct {
	done chan struct{}
	out  Outcome
	err  error
}

// Do implements Doer.
func (g *Gate) Do(ctx context.Context, c Call, parked func(bool)) (Outcome, error) {
	if parked == nil {
		parked = func(bool) {}
	}
	f, mine, err := g.joinFlight(c.ID)
	if err != nil {
		return Outcome{}, err
	}
	if !mine {
		return f.wait(ctx)
	}
	g.runFlight(c.ID, f, func() (Outcome, error) { return g.startOrResume(ctx, c, parked) })
	return f.out, f.err
}

// runFlight runs a flight and wakes everyone who waits for it.
func (g *Gate) runFlight(id string, f *flight, way func() (Outcome, error)) {
	defer g.leaveFlight(id, f)
	if f.out, f.err = way(); f.err != nil {
		f.err = fmt.Errorf("call %s: %w", id, f.err)
	}
}

func (f *flight) wait(ctx context.Context) (Outcome, error) {
	select {
	case <-f.done:
		return f.out, f.err
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}

// joinFlight finds the flight of a call, or makes one that the caller must run.
func (g *Gate) joinFlight(id string) (f *flight, mine bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.flights[id]; f != nil {
		return f, false, nil
	}
	if g.isClosing() {
		return nil, false, ErrClosing
	}
	f = &flight{done: make(chan struct{}), err: fmt.Errorf("call %s: its gate panicked", id)}
	g.flights[id] = f
	return f, true, nil
}

func (g *Gate) leaveFlight(id string, f *flight) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.flights, id)
	close(f.done)
}

func (g *Gate) isClosing() bool {
	select {
	case <-g.closing:
		return true
	default:
		return false
	}
}

// Close takes no more calls and returns parked ones, which continue in the next process. Running tools may finish until ctx
// ends; then they are told to stop. Close returns when no call is on its way.
func (g *Gate) Close(ctx context.Context) {
	g.closeOnce.Do(func() {
		g.mu.Lock() // no flight may join between the check and the close
		defer g.mu.Unlock()
		close(g.closing)
	})
	defer g.stopTools(ErrClosing)
	for f := g.anyFlight(); f != nil; f = g.anyFlight() {
		select {
		case <-f.done:
		case <-ctx.Done():
			g.stopTools(ErrClosing)
			<-f.done
		}
	}
}

func (g *Gate) anyFlight() *flight {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.flights {
		return f
	}
	return nil
}
