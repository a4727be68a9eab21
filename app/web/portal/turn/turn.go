package turn

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
)

// Turn is the answer to one message so far: the root run and every run it delegated.
type Turn struct {
	root     string
	agent    string    // who answers
	session  string    // the conversation, where forms in the turn lead back to
	have     int64     // highest event that the page shows already
	last     int64     // highest event taken
	at       time.Time // when it was asked
	away     bool      // the server cannot be reached
	state    wire.RunState
	why      string // queued: what it waits for
	final    *wire.FinalData
	fault    *wire.ErrorData
	runs     map[string]*work
	calls    map[string]*call
	asks     map[string]*ask           // by approval id
	told     map[string]*wire.Approval // what the hub knows, by approval id
	early    []string                  // told of before the server has repeated what it asked
	receipts []wire.Receipt
	seen     map[int64]bool // receipts by seq
	checked  bool           // the server was asked whether the chain of receipts holds
	verified bool
	problem  string

	past   bool // made from the record: folded up, for it is read and not watched
	caught bool // all that the page shows already was taken
	lost   bool // the page shows things that the server did not repeat
	whole  bool // nothing is known of the page: send everything
	foot   bool // the state changed since the last look
}

// work is what one run did, in order of appearance, and how much of that is on the page.
type work struct {
	run   string
	agent string
	items []item
	parts int    // pieces that are on the page
	tail  string // open block that is on the page
}

// item is one thing in the work of a run: a text, a call, or a question to a person.
type item struct {
	text *text
	call *call
	ask  *ask
}

// New makes the turn of a root run that was asked at the given time. have is the highest event that the page shows already; 0 for an empty bubble.
func New(root, agent string, at time.Time, have int64) *Turn {
	t := &Turn{
		root: root, agent: agent, at: at, have: have, state: wire.RunQueued,
		runs: map[string]*work{}, calls: map[string]*call{}, asks: map[string]*ask{},
		told: map[string]*wire.Approval{}, seen: map[int64]bool{},
	}
	t.runs[root] = &work{run: root, agent: agent}
	return t
}

// In says which conversation the turn belongs to: forms in it lead back there.
func (t *Turn) In(session string) *Turn {
	t.session = session
	return t
}

// Root is the id of the root run.
func (t *Turn) Root() string { return t.root }

// Last is the number of the highest event taken.
func (t *Turn) Last() int64 { return t.last }

// Current says whether everything that the page shows was taken: until then nothing is known of its questions.
func (t *Turn) Current() bool { return t.last >= t.have }

// Open says whether more events will come.
func (t *Turn) Open() bool { return t.state.Open() }

// State is where the root run stands.
func (t *Turn) State() wire.RunState {
	if t.state == wire.RunRunning && (len(t.Waiting()) > 0 || t.wantsSecret()) {
		return wire.RunParked
	}
	return t.state
}

// Waiting gives the ids of the approvals of this turn that wait for a person.
func (t *Turn) Waiting() []string {
	var ids []string
	for id, a := range t.asks {
		if a.now().State == wire.ApprovalPending {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Whole makes the next Flush send everything.
func (t *Turn) Whole() { t.whole = true }

// plain says whether an id may stand in a selector. Ids are UUIDs; what is none is not shown.
func plain(id string) bool { return uuid.Validate(id) == nil }

// workOf finds what a run did. A run that no call announced stands below the root run, as a hop of its own.
func (t *Turn) workOf(run, agent string) *work {
	w, ok := t.runs[run]
	if !ok {
		w = &work{run: run, agent: agent}
		t.runs[run] = w
		c := &call{id: run, run: t.root, agent: t.agent, child: w, data: wire.ToolData{State: wire.ToolRunning}}
		root := t.runs[t.root]
		root.items = append(root.items, item{call: c})
	}
	if w.agent == "" {
		w.agent = agent
	}
	return w
}
