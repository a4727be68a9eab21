package lane

import (
	"container/list"
	"context"
	"sync"
)

// Lane lets a number of runs work at once, first come, first served.
type Lane struct {
	mu      sync.Mutex
	free    int       // negative while runs that came back from waiting work beyond the limit
	waiting list.List // of chan struct{}, closed when its run may go
}

// New makes a lane with n places.
func New(n int) *Lane { return &Lane{free: n} }

// Enter waits for a free place; queued is called when there is none yet. A run that was stopped before gets none. With an
// error there is none to leave.
func (l *Lane) Enter(ctx context.Context, queued func()) error {
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
		l.cancelWait(at, turn)
		return context.Cause(ctx)
	}
}

func (l *Lane) cancelWait(at *list.Element, turn chan struct{}) {
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

// Retake takes a place back at once, even beyond the limit: a run that a person has just allowed to go on does not queue
// behind new ones, and two lanes can never wait for each other.
func (l *Lane) Retake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free--
}

// Leave gives a place back.
func (l *Lane) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free++
	l.admit()
}

func (l *Lane) admit() {
	for l.free > 0 && l.waiting.Len() > 0 {
		l.free--
		close(l.waiting.Remove(l.waiting.Front()).(chan struct{}))
	}
}
