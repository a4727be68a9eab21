package runtime

import (
	"slices"

	"gatehouse/agentd/wire"
)

// sessionQueue is the serial lane of one session: the run at work, and the messages that wait for it, oldest first. It exists
// while one of them is open.
type sessionQueue struct {
	current *tree
	waiting []*tree
}

// enqueue puts t behind the earlier messages of its session. It ignores a tree that is known, and one that comes while the
// process closes: that one is on record for the next process.
func (r *Runtime) enqueue(t *tree) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trees[t.root.id] != nil || r.closed {
		return
	}
	r.trees[t.root.id], r.byRun[t.root.id] = t, t
	if stop := r.earlyCancels[t.root.id]; stop != nil {
		delete(r.earlyCancels, t.root.id)
		t.cancel(stop)
	}
	if t.root.said != "" {
		r.spawn(func() { r.runTree(t, t.say) })
		return
	}
	if commandOf(t.root.text) != nil && t.byPerson() {
		r.spawn(func() { r.runTree(t, t.command) })
		return
	}
	q := r.sessions[t.session]
	if q == nil {
		q = &sessionQueue{current: t}
		r.sessions[t.session] = q
		r.spawn(func() { r.runSession(q) })
		return
	}
	at, _ := slices.BinarySearchFunc(q.waiting, t.seq, func(other *tree, seq int64) int { return int(other.seq - seq) })
	q.waiting = slices.Insert(q.waiting, at, t)
	why := q.waits(t)
	t.events.Emit(wire.EventQueued, func(n int64) any { return wire.QueuedData{N: n, RunID: t.root.id, Why: why} })
	if why == wire.WaitsTaken {
		q.current.cancel(&stoppedError{by: t.origin, alone: true, next: t.root.id})
	}
}

// runSession runs the messages of a session one after the other until none is left.
func (r *Runtime) runSession(q *sessionQueue) {
	for t, quiet := q.current, true; t != nil; t, quiet = r.nextOf(q), false {
		r.awaitBurst(q, t, quiet)
		r.runTree(t, t.root.execute)
	}
}

// nextOf takes the next message of a session; nil when there is none.
func (r *Runtime) nextOf(q *sessionQueue) *tree {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(q.waiting) == 0 {
		delete(r.sessions, q.current.session)
		return nil
	}
	q.current, q.waiting = q.waiting[0], q.waiting[1:]
	return q.current
}

// runTree takes a tree to its end by execute, once.
func (r *Runtime) runTree(t *tree, execute func() error) {
	if !t.started.CompareAndSwap(false, true) {
		return
	}
	defer close(t.done)
	defer r.forget(t)
	select {
	case <-r.started:
	case <-r.closing.Done():
		t.events.Suspend()
		return
	}
	err := execute()
	if err != nil && isShutdown(err) {
		t.events.Suspend()
		if err := t.events.Sync(); err != nil {
			r.log.Error("state of a run not kept", "run_id", t.root.id, "error", err)
		}
		return
	}
	t.endOrphanCalls(err)
	t.ending.Store(true)
	t.end(err)
	if r.ended != nil {
		r.ended()
	}
}

// forget removes a tree that is no longer at work.
func (r *Runtime) forget(t *tree) {
	t.cancel(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.trees, t.root.id)
	for _, id := range t.ids() {
		delete(r.byRun, id)
	}
}

// tree finds the tree at work that a run belongs to; nil when there is none.
func (r *Runtime) tree(runID string) *tree {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byRun[runID]
}
