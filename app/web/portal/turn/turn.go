package turn

import (
	"slices"

	"gatehouse/agentd/wire"
)

// Turn is the answer to one message so far: the root run and every run it delegated.
type Turn struct {
	root     string
	agent    string // who answers
	last     int64  // highest event applied
	state    wire.RunState
	why      string // queued: what it waits for
	end      *end
	runs     map[string]*work
	calls    map[string]*call
	asks     map[string]*call // by approval id
	early    map[string]wire.Approval
	receipts []wire.Receipt
	seen     map[int64]bool // receipts by seq
	known    bool           // receipts are all here; else they are fetched on demand
	dirt     dirt
}

// end is how a root run ended.
type end struct {
	final *wire.FinalData
	fault *wire.ErrorData
}

// work is what one run did, in order of appearance.
type work struct {
	run   string
	agent string
	items []item
	fresh bool // not on the page yet
}

// item is one thing in the work of a run: a text or a call.
type item struct {
	text *text
	call *call
}

// New makes the turn of a root run that has no events yet.
func New(root, agent string) *Turn {
	t := &Turn{root: root, agent: agent}
	t.clear()
	return t
}

func (t *Turn) clear() {
	t.last, t.state, t.why, t.end, t.receipts = 0, wire.RunQueued, "", nil, nil
	t.known = true
	t.runs, t.calls, t.asks = map[string]*work{}, map[string]*call{}, map[string]*call{}
	t.early, t.seen = map[string]wire.Approval{}, map[int64]bool{}
	t.runs[t.root] = &work{run: t.root, agent: t.agent}
	t.dirt = dirt{}
}

// Root is the id of the root run.
func (t *Turn) Root() string { return t.root }

// Last is the number of the highest event applied.
func (t *Turn) Last() int64 { return t.last }

// State is where the root run stands.
func (t *Turn) State() wire.RunState {
	if t.state == wire.RunRunning && t.waiting() > 0 {
		return wire.RunParked
	}
	return t.state
}

// Open says whether more events will come.
func (t *Turn) Open() bool { return t.end == nil && t.state.Open() }

// waiting counts the approvals that wait for a person.
func (t *Turn) waiting() int {
	n := 0
	for _, c := range t.asks {
		if c.ask.State == wire.ApprovalPending {
			n++
		}
	}
	return n
}

// workOf finds what a run did. A run that nobody announced stands below the root run.
func (t *Turn) workOf(run, agent string) *work {
	w, ok := t.runs[run]
	if !ok {
		w = &work{run: run, agent: agent, fresh: true}
		t.runs[run] = w
		c := &call{id: "run-" + run, run: t.root, agent: t.agent, child: w, fresh: true}
		t.calls[c.id] = c
		t.add(t.runs[t.root], item{call: c})
	}
	if w.agent == "" {
		w.agent = agent
	}
	return w
}

func (t *Turn) add(w *work, it item) {
	w.items = append(w.items, it)
	t.dirt.grown(w)
}

// textOf finds the text of one model call of a run.
func (t *Turn) textOf(w *work, step int) *text {
	i := slices.IndexFunc(w.items, func(it item) bool { return it.text != nil && it.text.step == step })
	if i >= 0 {
		return w.items[i].text
	}
	x := &text{run: w.run, step: step, fresh: true}
	t.add(w, item{text: x})
	return x
}

// lastText is the newest text of the root run, nil when it wrote none.
func (w *work) lastText() *text {
	for _, it := range slices.Backward(w.items) {
		if it.text != nil {
			return it.text
		}
	}
	return nil
}
