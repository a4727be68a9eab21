package turn

import (
	"encoding/json"

	"gatehouse/agentd/wire"
)

// Fed says what became of an event.
type Fed int

// What becomes of an event.
const (
	Applied Fed = iota // it was the next one
	Known              // it was there already
	Gap                // events before it are missing: ask the server and Reset
)

// Feed takes the next event of the live stream.
func (t *Turn) Feed(ev wire.RunEvent) Fed {
	switch {
	case ev.Root != t.root || ev.N <= t.last:
		return Known
	case ev.N > t.last+1:
		return Gap
	}
	t.apply(ev)
	return Applied
}

// Reset replaces everything by what the server says, in its order: holes between these events are no losses. What a
// person decided meanwhile must be told again (Decided).
func (t *Turn) Reset(events []wire.RunEvent) {
	t.clear()
	for _, ev := range events {
		if ev.Root == t.root && ev.N > t.last {
			t.apply(ev)
		}
	}
	t.dirt.all = true
}

// apply folds one event in. An event that cannot be read changes nothing but the count: a newer server may send more.
func (t *Turn) apply(ev wire.RunEvent) {
	t.last = ev.N
	switch ev.Event {
	case wire.EventQueued:
		read(ev, t.queued)
	case wire.EventDelta:
		read(ev, t.delta)
	case wire.EventTool:
		read(ev, t.tool)
	case wire.EventApproval:
		read(ev, func(d wire.ApprovalData) { t.Decided(d.Approval) })
	case wire.EventReceipt:
		read(ev, func(d wire.ReceiptData) { t.receipt(d.Receipt) })
	case wire.EventFinal:
		read(ev, t.final)
	case wire.EventError:
		read(ev, t.fault)
	}
}

func read[T any](ev wire.RunEvent, do func(T)) {
	var d T
	if json.Unmarshal(ev.Data, &d) == nil {
		do(d)
	}
}

func (t *Turn) queued(d wire.QueuedData) {
	if d.RunID == t.root && t.state == wire.RunQueued {
		t.why, t.dirt.head = d.Why, true
	}
}

// begins notes that the run works.
func (t *Turn) begins() {
	if t.state == wire.RunQueued {
		t.state, t.dirt.head = wire.RunRunning, true
	}
}

func (t *Turn) delta(d wire.DeltaData) {
	t.begins()
	x := t.textOf(t.workOf(d.RunID, d.Agent), d.Step)
	x.write(d.Attempt, d.Text)
	t.dirt.text(x)
}

func (t *Turn) tool(d wire.ToolData) {
	t.begins()
	c := t.callOf(d.CallID, d.RunID, d.Agent)
	if rank[d.State] < rank[c.data.State] {
		return
	}
	if d.Child == "" {
		d.Child = c.data.Child
	}
	if d.Tier == "" {
		d.Tier = c.data.Tier
	}
	c.data, c.chip = d, true
	t.adopt(c)
	t.dirt.call(c)
}

func (t *Turn) callOf(id, run, agent string) *call {
	c, ok := t.calls[id]
	if !ok {
		c = &call{id: id, run: run, agent: agent, fresh: true}
		t.calls[id] = c
		t.add(t.workOf(run, agent), item{call: c})
		if a, ok := t.early[id]; ok {
			delete(t.early, id)
			t.attach(c, a)
		}
	}
	return c
}

// adopt gives a call the work it handed on, unless that stands elsewhere already.
func (t *Turn) adopt(c *call) {
	id := c.data.Child
	if id == "" || c.child != nil || t.runs[id] != nil {
		return
	}
	c.child = &work{run: id, agent: c.data.Target, fresh: true}
	t.runs[id] = c.child
	c.given = true
}

// Decided tells where an approval of this turn stands, from the run's own events or from the hub. It is ignored when
// the turn knows better.
func (t *Turn) Decided(a wire.Approval) {
	if c, ok := t.calls[a.CallID]; ok {
		t.attach(c, a)
		return
	}
	if old, ok := t.early[a.CallID]; ok {
		a = *merge(&old, &a)
	}
	t.early[a.CallID] = a
}

// Holds says whether an approval belongs to this turn.
func (t *Turn) Holds(approval string) bool { return t.asks[approval] != nil }

func (t *Turn) attach(c *call, a wire.Approval) {
	if c.ask != nil && c.ask.ID == a.ID {
		m := merge(c.ask, &a)
		c.ask = m
	} else {
		c.ask = &a // the first, or the one that superseded it
	}
	t.asks[a.ID] = c
	c.asked = true
	t.dirt.call(c)
	t.dirt.head = true
}

func (t *Turn) receipt(r wire.Receipt) {
	if t.seen[r.Seq] {
		return
	}
	t.seen[r.Seq] = true
	t.receipts = append(t.receipts, r)
	t.dirt.receipts++
}

func (t *Turn) final(d wire.FinalData) {
	t.end, t.state = &end{final: &d}, wire.RunDone
	t.answer(d.Text)
	t.dirt.head, t.dirt.end = true, true
}

// answer makes the last text of the root run read as the server's final one: it may have been put right.
func (t *Turn) answer(whole string) {
	if whole == "" {
		return
	}
	w := t.runs[t.root]
	x := w.lastText()
	if x == nil {
		x = t.textOf(w, finalStep)
	}
	x.set(whole)
	t.dirt.text(x)
}

// finalStep is the step of an answer that no delta announced.
const finalStep = 1 << 30

func (t *Turn) fault(d wire.ErrorData) {
	t.end, t.state = &end{fault: &d}, wire.RunFailed
	if d.Type == "stopped" {
		t.state = wire.RunStopped
	}
	if t.runs[t.root].lastText() == nil {
		t.answer(d.Text)
	}
	t.dirt.head, t.dirt.end = true, true
}
