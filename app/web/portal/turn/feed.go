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
		t.dirt.all = true // the page was told things that the server does not repeat: its pieces are unknown
	}
	t.last, t.dirt.head = ev.N, t.dirt.head || t.away
	t.away = false
	t.apply(ev)
	if ev.N <= t.have {
		t.sent()
	}
	return true
}

// hint takes over what comes beside the count: that the server is away, and the run goes on when it is back.
func (t *Turn) hint(ev wire.RunEvent) {
	if ev.Root == t.root && ev.N == t.last && ev.Event == wire.EventQueued && t.Open() && !t.away {
		t.away, t.dirt.head = true, true
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
