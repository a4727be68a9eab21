package turn

import (
	"encoding/json"

	"gatehouse/agentd/wire"
)

// Take folds the next event in and says whether it was new. Events come in the order of their numbers, as the server
// vouches for them: holes between them are no losses.
func (t *Turn) Take(ev wire.RunEvent) bool {
	if ev.Root != t.root || ev.N <= t.last {
		t.hint(ev)
		return false
	}
	if t.last < t.have && ev.N != t.last+1 {
		t.lost = true
	}
	if ev.N > t.have {
		t.catchUp()
	}
	if t.away {
		t.away, t.foot = false, true
	}
	t.last = ev.N
	t.apply(ev)
	return true
}

// catchUp notes, once, that what was taken so far is on the page already. If the server does not repeat all that the
// page was told, its pieces are unknown.
func (t *Turn) catchUp() {
	if t.caught {
		return
	}
	t.caught = true
	if t.have > 0 && !t.lost {
		t.settle()
		t.retell(t.runs[t.root])
		return
	}
	t.whole = true
}

// hint takes over what comes beside the count: that the server is away, and the run goes on when it is back.
func (t *Turn) hint(ev wire.RunEvent) {
	if ev.Root == t.root && ev.N == t.last && ev.Event == wire.EventQueued && !t.away {
		t.Away()
	}
}

// Away notes that the server cannot be reached: the run goes on when it is back.
func (t *Turn) Away() {
	if t.Open() {
		t.away, t.foot = true, true
	}
}

// apply changes what the turn shows. An event that cannot be read changes nothing: a newer server may send more.
func (t *Turn) apply(ev wire.RunEvent) {
	switch ev.Event {
	case wire.EventQueued:
		read(ev, t.queued)
	case wire.EventDelta:
		read(ev, t.delta)
	case wire.EventTool:
		read(ev, t.tool)
	case wire.EventApproval:
		read(ev, t.approval)
	case wire.EventReceipt:
		read(ev, t.receipt)
	case wire.EventFinal:
		read(ev, t.finish)
	case wire.EventError:
		read(ev, t.fail)
	}
}

// read decodes the data of an event; ids that could not stand in a page make it unreadable.
func read[T any](ev wire.RunEvent, do func(T)) {
	var d T
	var run struct {
		RunID string `json:"run_id"`
	}
	if json.Unmarshal(ev.Data, &d) != nil || json.Unmarshal(ev.Data, &run) != nil || !plain(run.RunID) {
		return
	}
	do(d)
}

func (t *Turn) queued(d wire.QueuedData) {
	if d.RunID == t.root && t.state == wire.RunQueued {
		t.why, t.foot = d.Why, true
	}
}

// begins notes that the run works.
func (t *Turn) begins() {
	if t.state == wire.RunQueued {
		t.state, t.foot = wire.RunRunning, true
	}
}

func (t *Turn) receipt(d wire.ReceiptData) {
	if !t.seen[d.Seq] {
		t.seen[d.Seq] = true
		t.receipts = append(t.receipts, d.Receipt)
	}
}

// finish takes over the answer of the root run. It reads as the server says: it may have been put right.
func (t *Turn) finish(d wire.FinalData) {
	t.final, t.fault, t.state, t.foot = &d, nil, wire.RunDone, true
	t.answer(d.Text)
}

// fail takes over the end of a root run without an answer. What was written stays.
func (t *Turn) fail(d wire.ErrorData) {
	t.fault, t.final, t.state, t.foot = &d, nil, wire.RunFailed, true
	if d.Type == "stopped" {
		t.state = wire.RunStopped
	}
	if t.runs[t.root].open() == nil {
		t.answer(d.Text)
	}
}
