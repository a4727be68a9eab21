package turn

import (
	"slices"

	"gatehouse/agentd/wire"
)

// Turn is the answer to one message so far: the root run and every run it delegated.
type Turn struct {
	root     string
	agent    string // who answers
	have     int64  // highest event that the page shows already
	last     int64  // highest event applied
	away     bool   // the server cannot be reached
	state    wire.RunState
	why      string // queued: what it waits for
	final    *wire.FinalData
	fault    *wire.ErrorData
	runs     map[string]*work
	calls    map[string]*call
	asks     map[string]*ask           // by approval id
	told     map[string]*wire.Approval // what the hub knows, by approval id
	receipts []wire.Receipt
	seen     map[int64]bool // receipts by seq
	lazy     bool           // receipts are not here: the panel fetches them when it is opened
	dirt     dirt
}

// work is what one run did, in order of appearance.
type work struct {
	run   string
	agent string
	items []item
}

// item is one thing in the work of a run: a text or a call.
type item struct {
	text *text
	call *call
}

// New makes the turn of a root run. have is the highest event that the page shows already; 0 for an empty bubble.
func New(root, agent string, have int64) *Turn {
	t := &Turn{
		root: root, agent: agent, have: have, state: wire.RunQueued,
		runs: map[string]*work{}, calls: map[string]*call{}, asks: map[string]*ask{},
		told: map[string]*wire.Approval{}, seen: map[int64]bool{},
	}
	t.runs[root] = &work{run: root, agent: agent}
	return t
}

// Root is the id of the root run.
func (t *Turn) Root() string { return t.root }

// Last is the number of the highest event applied.
func (t *Turn) Last() int64 { return t.last }

// Open says whether more events will come.
func (t *Turn) Open() bool { return t.state.Open() }

// State is where the root run stands.
func (t *Turn) State() wire.RunState {
	if t.state == wire.RunRunning && len(t.Waiting()) > 0 {
		return wire.RunParked
	}
	return t.state
}

// workOf finds what a run did. A run that no call announced stands below the root run.
func (t *Turn) workOf(run, agent string) *work {
	w, ok := t.runs[run]
	if !ok {
		w = &work{run: run, agent: agent}
		t.runs[run] = w
		c := &call{id: "run-" + run, run: t.root, agent: t.agent, child: w, fresh: true}
		root := t.runs[t.root]
		root.items = append(root.items, item{call: c})
	}
	if w.agent == "" {
		w.agent = agent
	}
	return w
}

// textOf finds the text of one model call of a run.
func (t *Turn) textOf(w *work, step int) *text {
	for _, it := range slices.Backward(w.items) {
		if it.text != nil && it.text.step == step {
			return it.text
		}
	}
	x := &text{run: w.run, step: step, fresh: true}
	w.items = append(w.items, item{text: x})
	return x
}

// lastText is the newest text of a run, nil when it wrote none.
func (w *work) lastText() *text {
	for _, it := range slices.Backward(w.items) {
		if it.text != nil {
			return it.text
		}
	}
	return nil
}
