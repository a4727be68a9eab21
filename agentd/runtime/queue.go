package runtime

import (
	"slices"

	"gatehouse/agentd/wire"
)

// queue is the serial lane of one conversation: its messages, oldest first. It exists while one of them is open.
type queue struct{ waiting []*tree }

// enqueue lines t up behind the earlier messages of its conversation. A tree that is known is left alone, and so is
// one that comes while the process closes: it is on record for the next life.
func (r *Runtime) enqueue(t *tree) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trees[t.root.id] != nil || r.closed {
		return
	}
	r.trees[t.root.id], r.byRun[t.root.id] = t, t
	if stop := r.cancelled[t.root.id]; stop != nil {
		delete(r.cancelled, t.root.id)
		t.cancel(stop)
	}
	if commandOf(t.root.text) != nil {
		r.spawn(func() { r.serve(t, t.command) })
		return
	}
	q := r.sessions[t.session]
	if q == nil {
		q = &queue{}
		r.sessions[t.session] = q
		q.waiting = append(q.waiting, t)
		r.spawn(func() { r.drain(t.session, q) })
		return
	}
	at, _ := slices.BinarySearchFunc(q.waiting, t.seq, func(other *tree, seq int64) int { return int(other.seq - seq) })
	q.waiting = slices.Insert(q.waiting, at, t)
	t.emit(wire.EventQueued, func(n int64) any { return wire.QueuedData{N: n, RunID: t.root.id, Why: "after another run"} })
}

// drain runs the messages of a conversation one after the other until none is left.
func (r *Runtime) drain(session string, q *queue) {
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
		r.serve(t, t.root.live)
	}
}

// serve takes a tree to its end, unless somebody else has.
func (r *Runtime) serve(t *tree, live func() error) {
	if !t.taken.CompareAndSwap(false, true) {
		return
	}
	defer close(t.done)
	defer r.forget(t)
	select {
	case <-r.started:
	case <-r.closing.Done():
		t.leave()
		return
	}
	err := live()
	if err != nil && left(err) {
		t.leave()
		if err := t.sync(); err != nil {
			r.d.Log.Error("state of a run not kept", "run_id", t.root.id, "error", err)
		}
		return
	}
	t.endLeft(err)
	t.finish(err)
}

// forget takes a tree out of the lists of what is at work.
func (r *Runtime) forget(t *tree) {
	t.cancel(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.trees, t.root.id)
	for _, id := range t.ids() {
		delete(r.byRun, id)
	}
}

func (r *Runtime) tree(runID string) *tree {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byRun[runID]
}
