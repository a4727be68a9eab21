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
	Gap                // events before it are missing: ask the server, then Reset
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

// Reset replaces everything by what the server says, in its order: holes between these events are no losses.
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
		read(ev, t.approval)
	case wire.EventReceipt:
		read(ev, t.receipt)
	case wire.EventFinal:
		read(ev, t.finish)
	case wire.EventError:
		read(ev, t.fail)
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
	t.textOf(t.workOf(d.RunID, d.Agent), d.Step).write(d.Attempt, d.Text)
}

func (t *Turn) tool(d wire.ToolData) {
	t.begins()
	c := t.callOf(d.CallID, d.RunID, d.Agent)
	if d.Child == "" {
		d.Child = c.data.Child
	}
	if d.Target == "" {
		d.Target = c.data.Target
	}
	if d.Tier == "" {
		d.Tier = c.data.Tier
	}
	c.data, c.chip = d, true
	t.adopt(c)
}

func (t *Turn) callOf(id, run, agent string) *call {
	c, ok := t.calls[id]
	if !ok {
		c = &call{id: id, run: run, agent: agent, fresh: true}
		t.calls[id] = c
		w := t.workOf(run, agent)
		w.items = append(w.items, item{call: c})
	}
	return c
}

// adopt gives a call the work it handed on, unless that stands elsewhere already.
func (t *Turn) adopt(c *call) {
	id := c.data.Child
	if id == "" || c.child != nil || t.runs[id] != nil {
		return
	}
	c.child = &work{run: id, agent: c.data.Target}
	t.runs[id] = c.child
	c.given = true
}

func (t *Turn) receipt(d wire.ReceiptData) {
	if t.seen[d.Seq] {
		return
	}
	t.seen[d.Seq] = true
	t.receipts = append(t.receipts, d.Receipt)
}
