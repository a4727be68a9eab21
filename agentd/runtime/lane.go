package runtime

import (
	"container/list"
	"context"
	"sync"
)

// lane lets a number of runs work at once, first come, first served.
type lane struct {
	mu      sync.Mutex
	free    int       // negative while runs that came back from waiting work beyond the limit
	waiting list.List // of chan struct{}, closed when its run may go
}

func newLane(n int) *lane { return &lane{free: n} }

// enter waits for a free place; queued is called when there is none yet. A run that was stopped before gets none. With an
// error there is none to leave.
func (l *lane) enter(ctx context.Context, queued func()) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.mu.Lock()
	if l.free > 0 && l.waiting.Len() == 0 {
		l.free--
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	at := l.waiting.PushBack(turn)
	l.mu.Unlock()
	queued()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		l.giveUp(at, turn)
		return context.Cause(ctx)
	}
}

func (l *lane) giveUp(at *list.Element, turn chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-turn: // the place came at the same moment: pass it on
		l.free++
		l.admit()
	default:
		l.waiting.Remove(at)
	}
}

// again takes a place back at once, beyond the limit if need be: a run that a person has just allowed to go on shall
// not queue behind new ones, and two lanes can never wait for each other.
func (l *lane) again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free--
}

// leave gives a place back.
func (l *lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free++
	l.admit()
}

func (l *lane) admit() {
	for l.free > 0 && l.waiting.Len() > 0 {
		l.free--
		close(l.waiting.Remove(l.waiting.Front()).(chan struct{}))
	}
}
