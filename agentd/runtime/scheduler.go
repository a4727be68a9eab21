package runtime

import (
	"slices"

	"gatehouse/agentd/wire"
)

// sessionQueue is the serial lane of one session: its messages, oldest first. It exists while one of them is open.
type sessionQueue struct{ waiting []*tree }

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
	if commandOf(t.root.text) != nil {
		r.spawn(func() { r.runTree(t, t.command) })
		return
	}
	q := r.sessions[t.session]
	if q == nil {
		q = &sessionQueue{}
		r.sessions[t.session] = q
		q.waiting = append(q.waiting, t)
		r.spawn(func() { r.runSession(t.session, q) })
		return
	}
	at, _ := slices.BinarySearchFunc(q.waiting, t.seq, func(other *tree, seq int64) int { return int(other.seq - seq) })
	q.waiting = slices.Insert(q.waiting, at, t)
	t.events.Emit(wire.EventQueued, func(n int64) any {
		return wire.QueuedData{N: n, RunID: t.root.id, Why: "after another run"}
	})
}

// runSession runs the messages of a session one after the other until none is left.
func (r *Runtime) runSession(session string, q *sessionQueue) {
	for {
		r.mu.Lock()
		if len(q.waiting) == 0 {
			delete(r.sessions, session)
			r.mu.Unlock()
			return
		}
		t := q.waiting[0]
		q.waiting = q.waiting[1:]
		r.mu.Unlock()
		r.runTree(t, t.root.execute)
	}
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
