package turn

import (
	"strings"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/ui"
)

// dispatch is the tool that hands work to another agent.
const dispatch = "agent_dispatch"

// spawn is the tool that begins a sub-agent, whose work stands on a page of its own.
const spawn = "subagent_spawn"

// call is one use of a tool, with the work it handed on.
type call struct {
	id     string
	run    string
	agent  string
	data   wire.ToolData
	child  *work
	task   string   // what was handed on
	args   []ui.Arg // from the record only: events do not carry them
	result string   // from the record only
	dirty  bool     // changed since the last look
	hop    bool     // the page shows the handed-on work in its place
	waited bool     // the page shows the place to give a value
	shown  wire.RunState
}

// tool takes over the state of a call.
func (t *Turn) tool(d wire.ToolData) {
	if !plain(d.CallID) {
		return
	}
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
	if c.task == "" {
		c.task = strings.TrimPrefix(d.Summary, "Ask "+d.Target+": ")
	}
	before := c.awaits()
	c.data, c.dirty = d, true
	t.foot = t.foot || c.awaits() != before
	t.adopt(c)
}

func (t *Turn) callOf(id, run, agent string) *call {
	c, ok := t.calls[id]
	if !ok {
		c = &call{id: id, run: run, agent: agent}
		t.calls[id] = c
		w := t.workOf(run, agent)
		w.items = append(w.items, item{call: c})
	}
	return c
}

// adopt gives a call the work it handed on, unless that stands elsewhere already.
func (t *Turn) adopt(c *call) {
	id := c.data.Child
	if !plain(id) || c.child != nil || t.runs[id] != nil || c.data.Tool == spawn {
		return
	}
	c.child = &work{run: id, agent: c.data.Target}
	t.runs[id] = c.child
}

// childState is where handed-on work stands, as far as its call tells.
func (t *Turn) childState(c *call) wire.RunState {
	switch c.data.State {
	case wire.ToolDone:
		return wire.RunDone
	case wire.ToolFailed, wire.ToolDenied, wire.ToolUnknown:
		return wire.RunFailed
	case wire.ToolStopped:
		return wire.RunStopped
	}
	if !t.Open() {
		return t.state
	}
	if t.parked(c.child) {
		return wire.RunParked
	}
	return wire.RunRunning
}

// parked says whether something in the work, or below it, waits for a person.
func (t *Turn) parked(w *work) bool {
	for _, it := range w.items {
		if it.ask != nil && it.ask.now().State == wire.ApprovalPending || it.call != nil && it.call.awaits() {
			return true
		}
		if it.call != nil && it.call.child != nil && t.parked(it.call.child) {
			return true
		}
	}
	return false
}

func uiArg(a card.Arg) ui.Arg { return ui.Arg{Name: a.Name, Value: a.Text} }
